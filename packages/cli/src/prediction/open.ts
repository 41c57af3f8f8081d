import { createServeCore, LengthPredictor, type ServeCore } from '@trimtab/serve'
import { defaultLengthWeights } from '@trimtab/serve/weights'
import { UsageError } from '../options.js'
import { type Reading, readAll } from '../read-file.js'

export interface OpenedPredictor {
  readonly core: ServeCore
  readonly predictor: LengthPredictor
  /** Its file, or `shipped weights`. */
  readonly name: string
}

/** @throws {UsageError} when the file cannot be read or is no predictor */
export async function openPredictor(path: string | undefined, reading: Reading): Promise<OpenedPredictor> {
  const core = await createServeCore()
  if (path === undefined)
    return { core, predictor: LengthPredictor.load(core, defaultLengthWeights()), name: 'shipped weights' }
  try {
    return { core, predictor: LengthPredictor.load(core, await readAll(path, reading)), name: path }
  } catch (error) {
    throw new UsageError(`--model ${path} cannot be used: ${(error as Error).message}`)
  }
}

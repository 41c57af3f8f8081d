import { replaceFile } from '@trimtab/node/files'
import { createServeCore, LengthPredictor, Scheduler, type WaitingOptions } from '@trimtab/serve'
import { defaultLengthWeights } from '@trimtab/serve/weights'
import { Gateway, type GatewayOptions } from './gateway.js'
import { readState } from './state-file.js'

/** A gateway with a scheduler and predictor of its own. */
export interface ServingOptions
  extends Omit<GatewayOptions, 'scheduler'>,
    Pick<WaitingOptions, 'capacity' | 'order' | 'bypass' | 'maxBypassSeconds' | 'fairness'> {
  /** Requests that each upstream works on together. */
  readonly concurrency: number
  /** Where what was learned of lengths is kept over restarts; read at the start, saved every minute and at the end. */
  readonly statePath?: string
  /** Told when saving failed; serving goes on, and the next try is a minute later. */
  readonly onSaveError?: (error: Error) => void
}

/** A gateway with all that it needs. */
export interface Serving {
  readonly gateway: Gateway
  readonly scheduler: Scheduler
  readonly predictor: LengthPredictor
  /** Saves what was learned since the last time, if there is a place for it. */
  save(): Promise<void>
  /** Cuts off what is left, saves and frees everything. */
  dispose(): Promise<void>
}

const SAVE_EVERY_MS = 60_000

/**
 * A gateway that predicts lengths with the shipped weights and learns from every answer.
 *
 * @throws {ConfigError} `config_invalid`; {FormatError} when the file at `statePath` is not ours: it is left as it is
 * @example
 * const { gateway } = await createServing({ upstream: 'http://127.0.0.1:8000', concurrency: 8 })
 * await gateway.listen(8080)
 */
export async function createServing(options: ServingOptions): Promise<Serving> {
  const { statePath, onSaveError, ...rest } = options
  const core = await createServeCore()
  const state = statePath === undefined ? undefined : await readState(statePath)
  const predictor = LengthPredictor.load(core, state ?? defaultLengthWeights())
  const upstreams = typeof rest.upstream === 'string' ? 1 : rest.upstream.length
  const { capacity, order, bypass, maxBypassSeconds, fairness } = rest
  const waiting = { capacity, order, bypass, maxBypassSeconds, fairness }
  const concurrency = rest.concurrency * Math.max(1, upstreams)
  const scheduler = new Scheduler({ ...waiting, core, concurrency, estimator: predictor })
  const gateway = new Gateway({ ...rest, scheduler })
  let savedAt = predictor.updates
  const write = async (): Promise<void> => {
    if (statePath === undefined || predictor.updates === savedAt) return
    const { updates } = predictor
    await replaceFile(statePath, predictor.save())
    savedAt = updates
  }
  let lastSave = Promise.resolve()
  const save = (): Promise<void> => {
    lastSave = lastSave.then(write, write) // one after the other: the later state must be the one that stays
    return lastSave
  }
  const timer = setInterval(() => save().catch(onSaveError ?? (() => {})), SAVE_EVERY_MS)
  timer.unref()
  return {
    gateway,
    scheduler,
    predictor,
    save,
    async dispose() {
      clearInterval(timer)
      await gateway.close()
      try {
        await save()
      } finally {
        scheduler.dispose()
        predictor.dispose()
      }
    },
  }
}

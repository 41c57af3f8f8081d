// Traces of a time when all was well, as what other requests are compared with.
import { CulpritWindow, OwnTimes } from '@trimtab/trace'
import type { Host } from '../host.js'
import { type Option, textOption } from '../options.js'
import type { CommonValues } from './options.js'
import { analyseFiles } from './run.js'

export interface Baseline {
  readonly window: CulpritWindow
  readonly times: OwnTimes
}

/** @param without  what is done where it is missing */
export const baselineOption = (without: string): Option<string | undefined> =>
  textOption('FILE', `traces of a time when all was well; without it ${without}`, undefined)

/** @throws as `analyseFiles` */
export async function readBaseline(file: string, values: CommonValues, host: Host): Promise<Baseline> {
  const baseline = { window: new CulpritWindow(), times: new OwnTimes() }
  await analyseFiles([file], values, host, {
    onPath(path) {
      baseline.window.add(path)
      baseline.times.add(path)
    },
  })
  return baseline
}

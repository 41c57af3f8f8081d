import { type CriticalPath, type UsualTimes, WhatIf, type Workflow } from '@trimtab/trace'
import type { PlaceView, SpeedChange, WhatIfView } from './report/types.js'

const USUAL_SPEED_UP = 2
const MOST_PLACES = 5 // that a report replays unasked

/** The heaviest services and ways, each twice as fast. */
export const usualChanges = (places: readonly PlaceView[], most: number = MOST_PLACES): SpeedChange[][] =>
  places.slice(0, most).map((place) => [{ ...placeOf(place), speedUp: USUAL_SPEED_UP }])

/** The same, each as in the baseline. */
export const baselineChanges = (places: readonly PlaceView[], most: number = MOST_PLACES): SpeedChange[][] =>
  places.slice(0, most).map((place) => [asInBaseline(place)])

export const asInBaseline = (place: PlaceView): SpeedChange => ({ ...placeOf(place), isAsUsual: true })

const placeOf = ({ service, callee, kind }: PlaceView): PlaceView =>
  callee === undefined ? { service } : { service, callee, kind: kind ?? 'call' }

/** Requests replayed under several changes at once, each by itself. */
export class Replay {
  readonly #cases: readonly { readonly changes: readonly SpeedChange[]; readonly answer: WhatIf }[]

  /**
   * @param workflow  which siblings wait for each other, of the same requests
   * @param usual  what turns their times into the baseline's, for changes that ask for it
   */
  constructor(cases: readonly (readonly SpeedChange[])[], workflow: Workflow, usual?: UsualTimes) {
    this.#cases = cases.map((changes) => ({ changes, answer: new WhatIf(changes, { workflow, usual }) }))
  }

  /** Replays one request under every case. */
  add(path: CriticalPath): void {
    for (const { answer } of this.#cases) answer.add(path)
  }

  /** In the order of the cases. */
  views(): WhatIfView[] {
    return this.#cases.map(({ changes, answer }) => {
      const { after, saved01, savedInterval01, changedRequests } = answer
      return {
        changes,
        meanUs: after.meanNs / 1e3,
        p50Us: after.quantile(0.5) / 1e3,
        p99Us: after.quantile(0.99) / 1e3,
        gain01: saved01,
        pessimistic01: savedInterval01.low,
        optimistic01: savedInterval01.high,
        requests: changedRequests,
      }
    })
  }
}

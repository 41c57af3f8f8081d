import { type CriticalPath, WhatIf, type Workflow } from '@trimtab/trace'
import type { ServiceView, SpeedChange, WhatIfView } from './report/types.js'

const USUAL_SPEED_UP = 2
const MOST_SERVICES = 5 // that a report replays unasked

/** The heaviest services, each twice as fast. */
export const usualChanges = (
  services: readonly Pick<ServiceView, 'service'>[],
  most: number = MOST_SERVICES,
): SpeedChange[][] => services.slice(0, most).map(({ service }) => [{ service, speedUp: USUAL_SPEED_UP }])

/** Requests replayed under several changes at once, each by itself. */
export class Replay {
  readonly #cases: readonly { readonly changes: readonly SpeedChange[]; readonly answer: WhatIf }[]

  /** @param workflow  which siblings wait for each other, of the same requests */
  constructor(cases: readonly (readonly SpeedChange[])[], workflow: Workflow) {
    this.#cases = cases.map((changes) => ({ changes, answer: new WhatIf(changes, { workflow }) }))
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

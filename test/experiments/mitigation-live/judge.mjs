// What customers saw, second by second, whatever the policy saw of it.
import { percentile } from '@trimtab/core'

const MOST_LAG_MS = 15 // of the load itself: such a second says little

export class Judge {
  #slosMs
  #seconds = []
  #ended = 0
  #late = 0
  #failed = 0

  constructor(slosMs) {
    this.#slosMs = slosMs
  }

  /** A second: of each type of requests, a period of its load. */
  take(periods) {
    let isBroken = false
    let lagMs = 0
    for (const { request, latenciesMs, lagsMs, failures } of periods) {
      const sloMs = this.#slosMs.get(request)
      this.#ended += latenciesMs.length
      this.#late += latenciesMs.filter((ms) => ms > sloMs).length
      this.#failed += failures
      isBroken ||= latenciesMs.length > 0 && percentile(latenciesMs, 99) > sloMs
      lagMs = Math.max(lagMs, ...lagsMs)
    }
    this.#seconds.push({ isBroken, isFlagged: lagMs > MOST_LAG_MS })
  }

  /** @param struck  as the plan says */
  record(struck) {
    const seconds = this.#seconds.length
    const share = (is) => this.#seconds.filter(is).length / seconds
    const isCalm = (second) =>
      struck.every(({ startSeconds, durationSeconds, gapSeconds }) => {
        const since = second - startSeconds
        return since < 0 || since >= durationSeconds + gapSeconds / 2
      })
    const calm = this.#seconds.filter((_, second) => isCalm(second))
    return {
      ...{ late: this.#late / this.#ended, failed: this.#failed / this.#ended, requests: this.#ended },
      ...{ violated: share(({ isBroken }) => isBroken), flagged: share(({ isFlagged }) => isFlagged) },
      calmViolated: calm.filter(({ isBroken }) => isBroken).length / Math.max(1, calm.length),
      anomalies: struck.map(({ startSeconds, durationSeconds, gapSeconds }) => {
        const own = this.#seconds.slice(startSeconds, startSeconds + durationSeconds + gapSeconds)
        return {
          brokenSeconds: own.filter(({ isBroken }) => isBroken).length,
          lastSecond: 1 + own.findLastIndex(({ isBroken }) => isBroken), // 0: none was broken
        }
      }),
    }
  }
}

import { ConfigError } from '../errors.js'

/** How far ageing by work lets later requests pass. */
export interface WorkAgeingOptions {
  /** How much later work may overtake a request, in largest backlogs: 0 is first come, first served. Default 3. */
  readonly bypass?: number
  /** Requests of this many mean lengths and more are ordered by arrival among themselves. Default 3. */
  readonly longFactor?: number
}

const BYPASS = 3
const LONG_FACTOR = 3
/** Above every allowance, for the classes of a queue that is told allowances: 2^40 tokens. */
export const LARGEST_ALLOWANCE: number = 2 ** 40
/** Share of the work that arrives by which the largest backlog is forgotten: a peak of Q tokens after 100·Q more. */
const PEAK_DECAY = 0.01
/** Growth of the largest backlog after which all keys are reckoned anew: seldom enough to cost each request a push or two. */
const GROWTH = 2
/** Requests over which the mean length is taken. */
const MEAN_WINDOW = 1000

/** The options with their defaults. @throws {ConfigError} `config_invalid` */
export function workAgeingOf({
  bypass = BYPASS,
  longFactor = LONG_FACTOR,
}: WorkAgeingOptions): Required<WorkAgeingOptions> {
  if (!(bypass >= 0 && bypass < Number.POSITIVE_INFINITY))
    throw new ConfigError('config_invalid', `bypass must be a number from 0 on, got ${bypass}`)
  if (!(longFactor > 0)) throw new ConfigError('config_invalid', `longFactor must be above 0, got ${longFactor}`)
  return { bypass, longFactor }
}

/**
 * Ageing without a clock and without a unit: shortest first, but the work that overtakes a request is bounded by the backlogs
 * that the queue has seen, so one setting fits a slow server and a fast one, a calm hour and a burst.
 *
 *     key = tokens that arrived up to it, its own with them
 *           + bypass · largest backlog · min(1, tokens / (longFactor · mean tokens))
 *
 * Served by key, smallest first. The largest backlog is that of the whole time for which the request waits: who comes first to
 * an empty queue would otherwise be passed by nobody, however long it is and whatever burst follows. It grows seldom, so keys
 * are fixed, and reckoned anew for all that wait only when it has doubled. What arrives after a request and is served before
 * it are no more than `bypass` largest backlogs, in tokens as estimated: who waits longest waits about (1 + bypass) times what
 * it would first come, first served, at worst, and in replays less than that.
 *
 * The papers ask for ageing (6.3.3) and give no formula. A fixed slope, `tokens + slope · arrival`, has to be tuned to the
 * load: what holds the longest wait at steady arrivals takes most of the gain in a burst.
 */
export class WorkAgeing {
  readonly #bypass: number
  readonly #longFactor: number
  #arrived = 0
  #waiting = 0
  #backlog = 0
  #peak = 0
  /** The smallest of the largest backlogs by which the keys of those that wait were reckoned. */
  #keyedPeak = 0
  #meanTokens = 0
  #count = 0

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: WorkAgeingOptions = {}) {
    const { bypass, longFactor } = workAgeingOf(options)
    this.#bypass = bypass
    this.#longFactor = longFactor
  }

  /** Tokens that have arrived so far: the place of the request that entered last in order of arrival. */
  get arrivedTokens(): number {
    return this.#arrived
  }

  /** How many later tokens may overtake a request of `tokens` that has entered: its key is its place + this. */
  allowance(tokens: number): number {
    const share = this.#meanTokens > 0 ? Math.min(1, tokens / (this.#longFactor * this.#meanTokens)) : 1
    return this.#bypass * this.#peak * share
  }

  /**
   * A request arrives.
   * @param tokens  estimated, ≥ 0
   * @returns whether the largest backlog has doubled: those who wait are to be keyed anew, in order of arrival
   */
  enter(tokens: number): boolean {
    this.#count = Math.min(this.#count + 1, MEAN_WINDOW)
    this.#meanTokens += (tokens - this.#meanTokens) / this.#count
    this.#arrived += tokens
    this.#waiting += 1
    this.#backlog += tokens
    this.#peak = Math.max(this.#peak - PEAK_DECAY * tokens, this.#backlog)
    this.#keyedPeak = this.#waiting === 1 ? this.#peak : Math.min(this.#keyedPeak, this.#peak)
    if (this.#peak < GROWTH * this.#keyedPeak) return false
    this.#keyedPeak = this.#peak
    return true
  }

  /** A request that entered with `tokens` is served or has given up. */
  leave(tokens: number): void {
    this.#waiting -= 1
    this.#backlog = this.#waiting === 0 ? 0 : this.#backlog - tokens // 0: no drift of the sum
  }
}

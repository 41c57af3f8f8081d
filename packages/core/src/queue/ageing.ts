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
/** Where the last class of a queue begins whose requests age by work: above what one counts for, its tenant's others with it. */
export const LARGEST_WORK: number = 2 ** 31
/** Share of the work that arrives by which the largest backlog is forgotten: a peak of Q tokens after 100·Q more. */
const PEAK_DECAY = 0.01
/** How far the largest backlog and the mean may be from those that scale and cap are of, as a factor. */
const NEAR = 1.25
/** Requests over which the mean length is taken. */
const MEAN_WINDOW = 1000

const isNear = (value: number, keyed: number): boolean => value <= NEAR * keyed && keyed <= NEAR * value

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
 *     key = tokens that arrived up to it, its own with them + scale · min(tokens, cap)
 *     cap = longFactor · mean tokens, scale = bypass · largest backlog / cap
 *
 * Served by key, smallest first. Scale and cap are the same for all that wait and follow what the queue sees: who comes first
 * to an empty queue would otherwise be passed by nobody, however long it is and whatever burst follows. They move in steps, so
 * that a queue that keeps what counts for a class in one place has little to do (`ReadyQueue.age`). What arrives after a
 * request and is served before it are no more than `bypass` largest backlogs, in tokens as estimated: who waits longest waits
 * about (1 + bypass) times what it would first come, first served, at worst, and in replays less than that.
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
  #meanTokens = 0
  #count = 0
  /** Those that scale and cap are of. */
  #keyedPeak = 0
  #keyedMean = 0
  #scale = 0
  #cap = 0

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

  /** How many later tokens may pass a request for each of its own. */
  get scale(): number {
    return this.#scale
  }

  /** Tokens of a request above so many let nobody pass. */
  get cap(): number {
    return this.#cap
  }

  /** How many later tokens may overtake a request of `tokens` that waits, as things are now: its key is its place + this. */
  allowance(tokens: number): number {
    return this.#scale * Math.min(tokens, this.#cap)
  }

  /**
   * A request arrives.
   * @param tokens  estimated, ≥ 0
   * @returns whether scale and cap are others now
   */
  enter(tokens: number): boolean {
    this.#count = Math.min(this.#count + 1, MEAN_WINDOW)
    this.#meanTokens += (tokens - this.#meanTokens) / this.#count
    this.#arrived += tokens
    this.#waiting += 1
    this.#backlog += tokens
    this.#peak = Math.max(this.#peak - PEAK_DECAY * tokens, this.#backlog)
    if (isNear(this.#peak, this.#keyedPeak) && isNear(this.#meanTokens, this.#keyedMean)) return false
    this.#keyedPeak = this.#peak
    this.#keyedMean = this.#meanTokens
    this.#cap = this.#longFactor * this.#meanTokens
    this.#scale = this.#cap > 0 ? (this.#bypass * this.#peak) / this.#cap : 0
    return true
  }

  /** A request that entered with `tokens` is served or has given up. */
  leave(tokens: number): void {
    this.#waiting -= 1
    this.#backlog = this.#waiting === 0 ? 0 : this.#backlog - tokens // 0: no drift of the sum
  }
}

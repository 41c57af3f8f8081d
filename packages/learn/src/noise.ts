import {
  byteTensor,
  ConfigError,
  type Core,
  doubleTensor,
  type Problems,
  Random,
  type Tensor,
  type TensorReader,
} from '@trimtab/core'
import { OptionChecks } from './option-checks.js'

/** How one draw follows another. Deviations are in units of the action range [−1, 1] before the schedule scales them. */
export type NoiseProcess =
  /** Independent draws N(0, deviation²). */
  | { readonly kind: 'gaussian'; readonly deviation: number }
  /** x += θ(μ − x)dt + σ√dt·N(0, 1): correlated in time; starts again at μ with each episode. */
  | ({ readonly kind: 'ornstein-uhlenbeck' } & OrnsteinUhlenbeck)

/** θ: pull towards μ, σ: deviation per √time, dt: time per step. */
export interface OrnsteinUhlenbeck {
  readonly mu: number
  readonly theta: number
  readonly sigma: number
  readonly dt: number
}

/** What the process is multiplied by, and when that changes. */
export type NoiseSchedule =
  /** From `from` to `to` in a straight line over the first `episodes` episodes, then constant. */
  | { readonly kind: 'episodes'; readonly from: number; readonly to: number; readonly episodes: number }
  /** ε = max(floor, from − decrement · learning updates): the papers' exploration factor. */
  | { readonly kind: 'updates'; readonly from: number; readonly decrement: number; readonly floor: number }

/** What is added to actions while exploring, and how it decays. */
export interface NoiseOptions {
  readonly process: NoiseProcess
  readonly schedule: NoiseSchedule
}

/** One Ornstein–Uhlenbeck step: x + θ(μ − x)dt + σ√dt·normal, where `normal` is a draw of N(0, 1). */
export function ornsteinUhlenbeckStep(x: number, normal: number, process: OrnsteinUhlenbeck): number {
  const { mu, theta, sigma, dt } = process
  return x + theta * (mu - x) * dt + sigma * Math.sqrt(dt) * normal
}

/** The schedule's value after so many episodes and learning updates. */
export function scheduleValue(schedule: NoiseSchedule, episodes: number, updates: number): number {
  switch (schedule.kind) {
    case 'episodes': {
      const progress = Math.min(1, episodes / schedule.episodes)
      return schedule.from + (schedule.to - schedule.from) * progress
    }
    case 'updates':
      return Math.max(schedule.floor, schedule.from - schedule.decrement * updates)
    default:
      return schedule satisfies never
  }
}

/** Which of a seed's streams feeds exploration: far from the low ones that the kernel takes for weights and replay. */
const NOISE_STREAM = 0x6e6f6973

/**
 * Exploration noise: a process times a schedule, with its own random stream. Saves and continues to the bit.
 * A: numbers of an action, P: partitions, environments in turn, each with a process of its own.
 */
export class ExplorationNoise {
  readonly #options: NoiseOptions
  readonly #random: Random
  readonly #process: Float64Array // [P, A], the processes' last values
  readonly #draw: Float32Array // [A]
  #episodes = 0
  #updates = 0
  #scale = 1

  constructor(core: Core, actionSize: number, options: NoiseOptions, seed: number, partitions = 1) {
    this.#options = options
    this.#random = new Random(core, seed, NOISE_STREAM)
    this.#process = new Float64Array(partitions * actionSize)
    this.#draw = new Float32Array(actionSize)
    for (let partition = 0; partition < partitions; partition++) this.#startEpisode(partition)
  }

  /** A factor on the scheduled noise, 1 unless set: 0 acts greedily, 0.3 explores quietly. Saved. */
  get scale(): number {
    return this.#scale
  }

  set scale(scale: number) {
    requireExplorationScale(scale)
    this.#scale = scale
  }

  /** What multiplies the process now: schedule × `scale`. */
  get factor(): number {
    return this.#scale * scheduleValue(this.#options.schedule, this.#episodes, this.#updates)
  }

  /** Standard deviation of the noise now, in units of the action range [−1, 1]; of a correlated process, once it has forgotten its start. */
  get deviation(): number {
    return this.factor * processDeviation(this.#options.process)
  }

  /** Draws a partition's next noise into `out` [A], in units of the action range [−1, 1]. */
  sample(out: Float32Array, partition = 0): void {
    const { process } = this.#options
    const factor = this.factor
    const from = partition * this.#draw.length
    for (let i = 0; i < this.#draw.length; i++) {
      const normal = this.#random.normal()
      const next =
        process.kind === 'gaussian'
          ? process.deviation * normal
          : ornsteinUhlenbeckStep(this.#process[from + i]!, normal, process)
      this.#process[from + i] = next
      out[i] = factor * next
    }
  }

  /**
   * Moves `action` [A] by a partition's next noise and cuts it to [−1, 1].
   * @param sides  [A], the only direction each coordinate may move in, 0 for both
   */
  addTo(action: Float32Array, partition = 0, sides?: readonly (-1 | 0 | 1)[]): void {
    this.sample(this.#draw, partition)
    for (let i = 0; i < action.length; i++) {
      action[i] = Math.min(1, Math.max(-1, action[i]! + oneSided(this.#draw[i]!, sides?.[i] ?? 0)))
    }
  }

  /** A partition's episode is over: the schedule moves on and its correlated process starts anew. */
  endEpisode(partition = 0): void {
    this.#episodes += 1
    this.#startEpisode(partition)
  }

  #startEpisode(partition: number): void {
    const { process } = this.#options
    const size = this.#draw.length
    const start = process.kind === 'ornstein-uhlenbeck' ? process.mu : 0
    this.#process.fill(start, partition * size, (partition + 1) * size)
  }

  /** Tells the schedule that `count` learning updates were made. */
  countUpdates(count: number): void {
    this.#updates += count
  }

  /** Its state, from which `load` goes on to the byte. */
  save(): Tensor[] {
    return [
      byteTensor('noise.random', this.#random.save()),
      doubleTensor('noise.process', [...this.#process]),
      doubleTensor('noise.schedule', [this.#episodes, this.#updates, this.#scale]),
    ]
  }

  /**
   * Continues exactly where `save` was called. Two steps, so that a file is judged whole before anything changes:
   * the returned function applies the state and cannot fail.
   * @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`
   */
  load(reader: TensorReader): () => void {
    const random = reader.bytes('noise.random', this.#random.save().length)
    const process = reader.doubles('noise.process', this.#process.length)
    const [episodes, updates, scale] = reader.doubles('noise.schedule', 3) as unknown as [number, number, number]
    return () => {
      this.#random.load(random)
      this.#process.set(process)
      this.#episodes = episodes
      this.#updates = updates
      this.#scale = scale
    }
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#random.dispose()
  }
}

/** The move as it is, or its size to the one side that is allowed. */
export const oneSided = (move: number, side: -1 | 0 | 1): number => (side === 0 ? move : side * Math.abs(move))

/** @throws {ConfigError} `config_invalid` */
export function requireExplorationScale(scale: number): void {
  if (scale >= 0 && scale < Infinity) return
  throw new ConfigError('config_invalid', `explorationScale must be ≥ 0 and finite, got ${scale}`)
}

/** Of a correlated process the stationary one, σ √(dt / (1 − (1 − θ dt)²)); of one that never settles, a step's. */
function processDeviation(process: NoiseProcess): number {
  if (process.kind === 'gaussian') return process.deviation
  const { theta, sigma, dt } = process
  const forgotten = 1 - (1 - theta * dt) ** 2
  return sigma * Math.sqrt(forgotten > 0 ? dt / forgotten : dt)
}

/** Notes everything that is wrong with noise options, each with its path. */
export function checkNoiseOptions(noise: NoiseOptions, problems: Problems, path: string): void {
  problems.checkKeys(noise, ['process', 'schedule'], path)
  const { process, schedule } = noise
  const check = (options: object, part: string, ...known: string[]): OptionChecks =>
    new OptionChecks(options, ['kind', ...known], problems, `${path}.${part}`)
  const unknownKind = (part: string, value: never): void =>
    problems.check(false, `${path}.${part}.kind is unknown: ${JSON.stringify(value)}`)
  switch (process?.kind) {
    case 'gaussian':
      check(process, 'process', 'deviation').notNegative('deviation')
      break
    case 'ornstein-uhlenbeck': {
      const checks = check(process, 'process', 'mu', 'theta', 'sigma', 'dt')
      checks.number('mu', 'finite', () => true)
      checks.notNegative('theta', 'sigma')
      checks.positive('dt')
      break
    }
    default:
      unknownKind('process', process)
  }
  switch (schedule?.kind) {
    case 'episodes': {
      const checks = check(schedule, 'schedule', 'from', 'to', 'episodes')
      checks.notNegative('from', 'to')
      checks.counts('episodes')
      break
    }
    case 'updates':
      check(schedule, 'schedule', 'from', 'decrement', 'floor').notNegative('from', 'decrement', 'floor')
      break
    default:
      unknownKind('schedule', schedule)
  }
}

import {
  byteTensor,
  type Core,
  doubleTensor,
  type Problems,
  Random,
  type Tensor,
  type TensorReader,
} from '@trimtab/core'

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

/** Exploration noise: a process times a schedule, with its own random stream. Saves and continues to the bit. */
export class ExplorationNoise {
  readonly #options: NoiseOptions
  readonly #random: Random
  readonly #process: Float64Array // [A], the process's last value
  #episodes = 0
  #updates = 0
  /** A factor on the scheduled noise, 1 unless set: 0 acts greedily, 0.3 explores quietly. Saved. */
  scale = 1

  constructor(core: Core, actionSize: number, options: NoiseOptions, seed: number) {
    this.#options = options
    this.#random = new Random(core, seed, NOISE_STREAM)
    this.#process = new Float64Array(actionSize)
    this.#startEpisode()
  }

  /** What multiplies the process now: schedule × `scale`. */
  get factor(): number {
    return this.scale * scheduleValue(this.#options.schedule, this.#episodes, this.#updates)
  }

  /** Draws the next noise into `out` [A], in units of the action range [−1, 1]. */
  sample(out: Float32Array): void {
    const { process } = this.#options
    const factor = this.factor
    for (let i = 0; i < this.#process.length; i++) {
      const normal = this.#random.normal()
      const next =
        process.kind === 'gaussian'
          ? process.deviation * normal
          : ornsteinUhlenbeckStep(this.#process[i]!, normal, process)
      this.#process[i] = next
      out[i] = factor * next
    }
  }

  /** The schedule moves on and a correlated process starts anew. */
  endEpisode(): void {
    this.#episodes += 1
    this.#startEpisode()
  }

  #startEpisode(): void {
    const { process } = this.#options
    this.#process.fill(process.kind === 'ornstein-uhlenbeck' ? process.mu : 0)
  }

  /** Tells the schedule that `count` learning updates were made. */
  countUpdates(count: number): void {
    this.#updates += count
  }

  save(): Tensor[] {
    return [
      byteTensor('noise.random', this.#random.save()),
      doubleTensor('noise.process', [...this.#process]),
      doubleTensor('noise.schedule', [this.#episodes, this.#updates, this.scale]),
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
      this.scale = scale
    }
  }

  dispose(): void {
    this.#random.dispose()
  }
}

/** Notes everything that is wrong with noise options, each with its path. */
export function checkNoiseOptions({ process, schedule }: NoiseOptions, problems: Problems, path: string): void {
  const number = (name: string, value: unknown, says: string, holds: (x: number) => boolean): void =>
    problems.check(
      typeof value === 'number' && Number.isFinite(value) && holds(value),
      `${path}.${name} must be ${says}, got ${String(value)}`,
    )
  const notNegative = (name: string, value: unknown): void => number(name, value, '≥ 0', (x) => x >= 0)
  const unknownKind = (name: string, value: never): void =>
    problems.check(false, `${path}.${name} is unknown: ${JSON.stringify(value)}`)
  switch (process.kind) {
    case 'gaussian':
      notNegative('process.deviation', process.deviation)
      break
    case 'ornstein-uhlenbeck':
      number('process.mu', process.mu, 'finite', () => true)
      for (const name of ['theta', 'sigma'] as const) notNegative(`process.${name}`, process[name])
      number('process.dt', process.dt, '> 0', (x) => x > 0)
      break
    default:
      unknownKind('process.kind', process)
  }
  switch (schedule.kind) {
    case 'episodes':
      for (const name of ['from', 'to'] as const) notNegative(`schedule.${name}`, schedule[name])
      number('schedule.episodes', schedule.episodes, 'a whole number ≥ 1', (x) => Number.isInteger(x) && x >= 1)
      break
    case 'updates':
      for (const name of ['from', 'decrement', 'floor'] as const) notNegative(`schedule.${name}`, schedule[name])
      break
    default:
      unknownKind('schedule.kind', schedule)
  }
}

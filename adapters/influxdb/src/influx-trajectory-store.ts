import { MemoryTrajectoryStore, type Sleep, sleep } from '@trimtab/control'
import {
  type Clock,
  type Logger,
  Problems,
  type RandomSource,
  type Space,
  type TrajectoryStep,
  type TrajectoryStore,
} from '@trimtab/core'
import { BatchWriter } from './batch-writer.js'
import { PointCodec } from './point-codec.js'
import type { InfluxServer } from './server.js'
import { InfluxV1, type InfluxV1Options } from './server-v1.js'
import { InfluxV2, type InfluxV2Options } from './server-v2.js'

/** Which database, which trajectory in it, and how much is held here. */
export interface InfluxTrajectoryStoreOptions {
  readonly server: InfluxV1Options | InfluxV2Options
  /** Whose steps these are: the value of the tag `trajectory`. One process at a time writes one trajectory. */
  readonly trajectory: string
  /** Default `trimtab_trajectory`. */
  readonly measurement?: string
  /** The spaces whose names become the fields. */
  readonly observation: Pick<Space, 'names'>
  readonly action: Pick<Space, 'names'>
  /** The last steps, which are read back at the start and held in memory; default 100,000. */
  readonly capacity?: number
  /** Steps kept in memory while the database does not take them; default 10,000. */
  readonly maxPending?: number
  /** Unix milliseconds: when a step was; default: the host's. */
  readonly clock?: Clock
  /** What waits between tries; default: the host's. */
  readonly sleep?: Sleep
  readonly logger?: Logger
}

const OPTIONS: readonly (keyof InfluxTrajectoryStoreOptions)[] = [
  'server',
  'trajectory',
  'measurement',
  'observation',
  'action',
  'capacity',
  'maxPending',
  'clock',
  'sleep',
  'logger',
]

/** Numbers of one answer: some megabytes. */
const PAGE_NUMBERS = 100_000

/**
 * Trajectories in InfluxDB. `append` resolves once the database has acknowledged the step: that one is there after any crash, of either side,
 * once. What is not acknowledged yet lies in this process's memory, `maxPending` steps at most; a step more is refused. Reading is from
 * memory: the last `capacity` steps, those from before the start included.
 *
 * @example
 * const server = { version: 1, url: 'http://127.0.0.1:8086', database: 'trimtab' } as const
 * const store = await InfluxTrajectoryStore.open({ server, trajectory: 'shop', observation: env.observation, action: env.action })
 * const loop = new ControlLoop({ environment: env, pilot, store, firstEpisode: store.nextEpisode })
 */
export class InfluxTrajectoryStore implements TrajectoryStore {
  readonly #server: InfluxServer
  readonly #codec: PointCodec
  readonly #writer: BatchWriter
  readonly #memory: MemoryTrajectoryStore
  readonly #clock: Clock
  #lastUs = 0
  #lastEpisode = -1

  private constructor(options: InfluxTrajectoryStoreOptions) {
    const { measurement = 'trimtab_trajectory', trajectory, capacity, maxPending = 10_000 } = options
    const problems = new Problems()
    problems.checkKeys(options, OPTIONS, 'options')
    const { version } = options.server
    problems.check(version === 1 || version === 2, `server.version must be 1 or 2, got ${version}`)
    problems.check(trajectory !== '', 'trajectory must not be empty')
    problems.check(measurement !== '', 'measurement must not be empty')
    const isCount = Number.isInteger(maxPending) && maxPending >= 1
    problems.check(isCount, `maxPending must be a whole number >= 1, got ${maxPending}`)
    problems.throwIfAny('trajectory store')
    const [observation, action] = [options.observation.names, options.action.names]
    this.#memory = new MemoryTrajectoryStore(capacity === undefined ? {} : { capacity })
    this.#codec = new PointCodec({ measurement, trajectory, observation, action })
    this.#server = options.server.version === 1 ? new InfluxV1(options.server) : new InfluxV2(options.server)
    this.#writer = new BatchWriter(this.#server, { maxPending, sleep: options.sleep ?? sleep, logger: options.logger })
    this.#clock = options.clock ?? { now: () => Date.now() }
  }

  /**
   * Reads the last steps back.
   *
   * @throws {AdapterError} `influxdb_failed`, `influxdb_refused`, `http_unreachable`, `http_timeout`, …; the signal's reason
   * @throws {FormatError} `trajectory_other_columns`: this trajectory is another task's
   * @throws {ConfigError} `config_invalid`
   */
  static async open(options: InfluxTrajectoryStoreOptions, signal?: AbortSignal): Promise<InfluxTrajectoryStore> {
    const store = new InfluxTrajectoryStore(options)
    try {
      await store.#recall(signal)
    } catch (error) {
      store.dispose()
      throw error
    }
    return store
  }

  /** Steps held in memory. */
  get size(): number {
    return this.#memory.size
  }

  /** Steps that the database has not acknowledged yet. */
  get pending(): number {
    return this.#writer.pending
  }

  /** One more than the last step's episode: where a new run should go on counting. */
  get nextEpisode(): number {
    return this.#lastEpisode + 1
  }

  /**
   * Resolves once the database has acknowledged the step; it is tried until then.
   *
   * @throws {AdapterError} `influxdb_backlog_full`: the step was not taken; `influxdb_refused`: the database will never take it
   * @throws {ConfigError} `trajectory_shape`, `trajectory_not_finite`, `trajectory_store_disposed`
   */
  async append(step: TrajectoryStep): Promise<void> {
    // Time tells the points of a trajectory apart, and their order: it never stands still, nor goes back with the host's clock.
    const timeUs = Math.max(Math.round(this.#clock.now() * 1000), this.#lastUs + 1)
    const stored = this.#writer.add(this.#codec.encode(step, timeUs))
    this.#remember(step, timeUs)
    return stored
  }

  recent(n: number): TrajectoryStep[] {
    return this.#memory.recent(n)
  }

  /** Finished episodes only, of those that are held whole. */
  best(n: number): TrajectoryStep[][] {
    return this.#memory.best(n)
  }

  /** @throws {ConfigError} `trajectory_store_empty` */
  sample(n: number, random: RandomSource): TrajectoryStep[] {
    return this.#memory.sample(n, random)
  }

  /** Resolves when the database has acknowledged, or refused, all that was appended. */
  settled(): Promise<void> {
    return this.#writer.settled()
  }

  /** Gives up what is pending (await `settled` before, unless the database is down) and closes the connections. May be called twice. */
  dispose(): void {
    this.#writer.dispose()
    this.#server.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  /** Page by page from the newest, then from the oldest into memory. */
  async #recall(signal: AbortSignal | undefined): Promise<void> {
    const { query } = this.#codec
    const pageRows = Math.max(1, Math.floor(PAGE_NUMBERS / query.fields.length))
    const pages: { readonly step: TrajectoryStep; readonly timeUs: number }[][] = []
    let beforeUs = Number.MAX_SAFE_INTEGER
    for (let left = this.#memory.capacity; left > 0; left -= pageRows) {
      const n = Math.min(pageRows, left)
      const rows = await this.#server.readBefore(beforeUs, n, query, signal)
      pages.push(rows.map((row) => ({ step: this.#codec.decode(row), timeUs: row.timeUs })))
      if (rows.length < n) break
      beforeUs = rows[0]!.timeUs
    }
    for (const page of pages.reverse()) for (const { step, timeUs } of page) this.#remember(step, timeUs)
  }

  #remember(step: TrajectoryStep, timeUs: number): void {
    this.#memory.append(step)
    this.#lastUs = timeUs
    this.#lastEpisode = step.episode
  }
}

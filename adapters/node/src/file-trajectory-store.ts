import { EpisodeIndex } from '@trimtab/control'
import {
  ConfigError,
  type Logger,
  type RandomSource,
  type Space,
  type TrajectoryStep,
  type TrajectoryStore,
} from '@trimtab/core'
import { RecordFile } from './record-file.js'
import { checkHeader, encodeHeader, RecordCodec } from './trajectory-format.js'

/** Where a trajectory is kept, what its columns are, and how safe it has to be. */
export interface FileTrajectoryStoreOptions {
  readonly path: string
  /** The spaces whose names become the file's columns. */
  readonly observation: Pick<Space, 'names'>
  readonly action: Pick<Space, 'names'>
  /**
   * When the file is forced to the disk: after each step, when an episode is over (default), never. A step is with the operating
   * system when `append` returns, so a killed process loses nothing in any case; this is about a machine that loses power.
   */
  readonly fsync?: 'step' | 'episode' | 'never'
  readonly logger?: Logger
}

/** What was wrong with a file when it was opened. */
export interface TrajectoryRepair {
  /** Bytes cut off from the end: a record that was never finished. */
  readonly tornBytes: number
  /** Damaged records with whole ones behind them; they are skipped. */
  readonly damagedRecords: number
}

/**
 * Trajectories in one append-only file that survives a kill at any byte.
 *
 * Each step is one write of one checksummed record. On opening, a torn tail is cut off and reported; every step whose `append` had
 * returned is there. The whole file can be read back; memory holds one entry for each episode. One process may write at a time.
 *
 * @example
 * const store = new FileTrajectoryStore({ path: 'shop.trajectory', observation: env.observation, action: env.action })
 * const loop = new ControlLoop({ environment: env, pilot, store, firstEpisode: store.nextEpisode })
 */
export class FileTrajectoryStore implements TrajectoryStore {
  /** What opening the file had to repair. */
  readonly repair: TrajectoryRepair
  readonly #fsync: 'step' | 'episode' | 'never'
  readonly #file: RecordFile
  readonly #codec: RecordCodec
  readonly #record: Uint8Array
  readonly #view: DataView // of #record
  readonly #episodes = new EpisodeIndex()
  #damaged = 0
  #lastEpisode = -1

  /**
   * Opens the file, or makes it.
   *
   * @throws {FormatError} `trajectory_file_foreign`, `trajectory_file_version`, `trajectory_file_other_columns`; the file is left
   *   as it is
   * @throws {AdapterError} `trajectory_file_failed`; `cause` is what the file system said
   */
  constructor(options: FileTrajectoryStoreOptions) {
    const { path, fsync = 'episode' } = options
    const columns = { observation: options.observation.names, action: options.action.names }
    const header = encodeHeader(columns)
    this.#fsync = fsync
    this.#codec = new RecordCodec(columns)
    this.#record = new Uint8Array(this.#codec.recordBytes)
    this.#view = new DataView(this.#record.buffer)
    this.#file = new RecordFile(path, header, this.#codec.recordBytes, (start) => checkHeader(path, start, header))
    this.repair = this.#recover()
    const { tornBytes, damagedRecords } = this.repair
    if (tornBytes + damagedRecords > 0) {
      options.logger?.warn(`${path}: cut off ${tornBytes} torn bytes, skipping ${damagedRecords} damaged records`)
    }
  }

  /** Whole steps in the file. */
  get size(): number {
    return this.#file.count - this.#damaged
  }

  /** One more than the last step's episode: where a new run should go on counting. */
  get nextEpisode(): number {
    return this.#lastEpisode + 1
  }

  /**
   * Writes one step.
   *
   * @throws {AdapterError} `trajectory_file_failed` (disk full, …): the file is as before, the next append may succeed;
   *   `trajectory_file_shared`: somebody else changed the file
   * @throws {ConfigError} `trajectory_shape`, `trajectory_store_disposed`
   */
  append(step: TrajectoryStep): void {
    this.#codec.encode(step, this.#view)
    if (this.#fsync === 'episode' && step.episode !== this.#lastEpisode) this.#file.sync()
    this.#file.append(this.#record)
    if (this.#fsync === 'step') this.#file.sync()
    this.#index(this.#file.count - 1, step)
  }

  recent(n: number): TrajectoryStep[] {
    const start = Math.max(0, this.#file.count - n - this.#damaged) // were all damaged records among the last
    return n > 0 ? this.#range(start, this.#file.count).slice(-n) : []
  }

  /** Finished episodes only. */
  best(n: number): TrajectoryStep[][] {
    return this.#episodes.best(n).map(({ start, end }) => this.#range(start, end))
  }

  /** @throws {ConfigError} `trajectory_store_empty` */
  sample(n: number, random: RandomSource): TrajectoryStep[] {
    if (this.size === 0) {
      throw new ConfigError('trajectory_store_empty', `nothing to sample from: ${this.#file.path} holds no steps yet`)
    }
    const steps: TrajectoryStep[] = []
    while (steps.length < n) {
      const position = random.integer(this.#file.count)
      steps.push(...this.#range(position, position + 1)) // nothing for a damaged record: drawn again
    }
    return steps
  }

  /** Forces the file to the disk, unless that was declined, and closes it. */
  dispose(): void {
    if (this.#file.isClosed) return
    if (this.#fsync !== 'never') this.#file.sync()
    this.#file.close()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  /** Reads the whole file once: indexes it, finds what is damaged and cuts off the torn tail. */
  #recover(): TrajectoryRepair {
    let end = 0
    let position = 0
    let damaged = 0
    for (const record of this.#file.read(0, this.#file.count)) {
      if (this.#codec.isWhole(record)) {
        this.#index(position, this.#codec.decode(record))
        end = position + 1
        this.#damaged = damaged
      } else {
        damaged++
      }
      position++
    }
    return { tornBytes: this.#file.cut(end), damagedRecords: this.#damaged }
  }

  #index(position: number, { episode, step, reward }: TrajectoryStep): void {
    this.#episodes.add(position, episode, step, reward)
    this.#lastEpisode = episode
  }

  #range(start: number, end: number): TrajectoryStep[] {
    const steps: TrajectoryStep[] = []
    for (const record of this.#file.read(start, end)) {
      if (this.#codec.isWhole(record)) steps.push(this.#codec.decode(record))
    }
    return steps
  }
}

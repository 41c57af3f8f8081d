import {
  type Bytes,
  ConfigError,
  doubleTensor,
  FormatError,
  readSafetensors,
  type Tensor,
  TensorReader,
  writeSafetensors,
} from '@trimtab/core'
import type { RoundReport } from './pretraining-shard.js'
import { addPrefix, averageTensors, coreTensors, withPrefix } from './tensors.js'

/**
 * Where shards live: in this process (`LocalShards`) or in workers (`WorkerShards` of `@trimtab/node`). Every call names its shard,
 * and what comes back depends on the shard's own past alone.
 */
export interface ShardHost {
  /** Shards in all; part of what decides the result, unlike the number of workers. */
  readonly shards: number
  /** Makes the shard and tells what its untaught learner holds. */
  open(shard: number): Promise<Tensor[]>
  /** Takes over what all learned, then one round. */
  round(shard: number, learned: readonly Tensor[]): Promise<ShardRound>
  /** z [Z] of each of the shard's pairs, with what all learned. */
  embeddings(shard: number, learned: readonly Tensor[]): Promise<Float32Array[]>
  /** The state of one shard, from which `load` goes on to the byte. */
  save(shard: number): Promise<Tensor[]>
  /** Replaces the state of one shard by what `save` gave. */
  load(shard: number, tensors: readonly Tensor[]): Promise<void>
}

/** What one shard learned in a round. */
export interface ShardRound {
  readonly learned: Tensor[]
  readonly report: RoundReport
}

const FORMAT = 'trimtab-pretraining'

/**
 * Trains base learner and meta learner together over a pool (5.6.1), shard by shard and round by round. After each round
 * what the shards learned is averaged, networks and Adam moments alike, in the order of the shards: one worker or many, the
 * same bytes.
 *
 * @example
 * const pretraining = await openPretraining(host)
 * for (let round = 0; round < 50; round++) report(await pretraining.round())
 */
export class Pretraining {
  readonly #host: ShardHost
  #learned: readonly Tensor[]
  #rounds = 0

  /** Use `openPretraining`. */
  constructor(host: ShardHost, learned: readonly Tensor[]) {
    this.#host = host
    this.#learned = learned
  }

  /** Rounds done; one episode of each pair each. */
  get rounds(): number {
    return this.#rounds
  }

  /** Networks and moments of base learner (`agent.…`) and encoder (`meta.…`): what adaptation starts from. */
  get learned(): readonly Tensor[] {
    return this.#learned
  }

  /** One round of every shard from the same weights; their mean is what all go on with. */
  async round(): Promise<RoundReport> {
    const outcomes = await this.#each((shard) => this.#host.round(shard, this.#learned))
    this.#learned = averageTensors(outcomes.map(({ learned }) => learned))
    this.#rounds++
    return total(outcomes.map(({ report }) => report))
  }

  /** z [Z] of each pair of the pool, shard by shard. */
  async embeddings(): Promise<Float32Array[]> {
    return (await this.#each((shard) => this.#host.embeddings(shard, this.#learned))).flat()
  }

  /** A checkpoint to go on from after a kill, as if nothing had happened. */
  async save(): Promise<Uint8Array> {
    const shards = await this.#each((shard) => this.#host.save(shard))
    const tensors = [
      ...addPrefix(this.#learned, 'learned.'),
      doubleTensor('rounds', [this.#rounds]),
      ...shards.flatMap((saved, shard) => addPrefix(saved, `${shard}.`)),
    ]
    return writeSafetensors(tensors, { format: FORMAT, shards: String(this.#host.shards) })
  }

  /**
   * @throws {FormatError} those of `readSafetensors`; `pretraining_unknown_format`, `pretraining_shards_mismatch`; what a shard refuses
   */
  async load(bytes: Bytes): Promise<void> {
    const { tensors: stored, metadata } = readSafetensors(bytes)
    if (metadata.get('format') !== FORMAT) {
      throw new FormatError('pretraining_unknown_format', `this is no checkpoint of a pretraining (${FORMAT})`)
    }
    if (metadata.get('shards') !== String(this.#host.shards)) {
      throw new FormatError(
        'pretraining_shards_mismatch',
        `the checkpoint has ${metadata.get('shards')} shards, this pretraining ${this.#host.shards}: their number decides the result, keep it`,
      )
    }
    const tensors = coreTensors(stored)
    const [rounds] = new TensorReader(tensors).doubles('rounds', 1)
    await this.#each((shard) => this.#host.load(shard, withPrefix(tensors, `${shard}.`)))
    this.#learned = withPrefix(tensors, 'learned.')
    this.#rounds = rounds!
  }

  #each<T>(run: (shard: number) => Promise<T>): Promise<T[]> {
    return Promise.all(Array.from({ length: this.#host.shards }, (_, shard) => run(shard)))
  }
}

/** Opens every shard; all start from what the first one holds. */
export async function openPretraining(host: ShardHost): Promise<Pretraining> {
  if (!(Number.isInteger(host.shards) && host.shards >= 1)) {
    throw new ConfigError('config_invalid', `a pretraining needs a whole number of shards ≥ 1, got ${host.shards}`)
  }
  const opened = await Promise.all(Array.from({ length: host.shards }, (_, shard) => host.open(shard)))
  return new Pretraining(host, opened[0]!)
}

/** Which of `pairs` pairs belong to a shard: every `shards`-th, so that shards are alike. */
export const pairsOfShard = (pairs: number, shard: number, shards: number): number[] =>
  Array.from({ length: pairs }, (_, pair) => pair).filter((pair) => pair % shards === shard)

function total(reports: readonly RoundReport[]): RoundReport {
  const sum = (of: (report: RoundReport) => number): number => reports.reduce((all, report) => all + of(report), 0)
  const episodes = sum((report) => report.episodes)
  return {
    reward: sum((report) => report.reward * report.episodes) / episodes,
    episodes,
    updates: sum((report) => report.updates),
    skipped: sum((report) => report.skipped),
  }
}

import { classesOf, LENGTH_BINS, type LengthClasses, LengthDistribution } from './length-distribution.js'
import { NameTable } from './name-table.js'

/** Where nothing was learnt yet: percentiles that chat services often show; the first answers replace them. */
const UNKNOWN: LengthClasses = {
  borders: Float64Array.of(64, 192, 448, 1536),
  means: Float64Array.of(32, 120, 310, 700, 2048),
}
const EQUAL_SHARE = 64 // answers of a model that count in full for all models together; then ever less, so that none outweighs
const SHARED_ANSWERS = 1000 // and in full for what prompts do to all models
const MOST_NAMES = 256 // models told apart by name

/** What is known of the model that a request is for. */
export interface ServedModelLengths {
  /** Its place among the models told apart; undefined for one that is not. */
  readonly slot: number | undefined
  /** Borders and means of its classes. */
  readonly classes: LengthClasses
}

/**
 * How long the answers of each served model are: what the five classes mean for it. A model of few answers, or of none, is
 * taken for what all have in common. 256 models are told apart, by 256 letters of their names; one that is not in use makes room.
 */
export class ServedLengths {
  readonly #own = new NameTable(MOST_NAMES, () => new ModelLengths())
  #all = new ModelLengths()

  /** @param counts  as `counts()` of models with these names gave them */
  static of(names: readonly string[], counts: Float32Array): ServedLengths {
    const lengths = new ServedLengths()
    const lengthsOf = (i: number): ModelLengths =>
      new ModelLengths(new LengthDistribution(counts.slice(i * LENGTH_BINS, (i + 1) * LENGTH_BINS)))
    lengths.#all = lengthsOf(0)
    for (const [i, name] of names.entries()) {
      const own = lengthsOf(i + 1)
      lengths.#own.see(name, own, own.distribution.total)
    }
    return lengths
  }

  /** Names of the models that answers were seen of, by slot. */
  get models(): string[] {
    return this.#own.entries.map(({ name }) => name)
  }

  /** Counts an answer of a number of tokens ≥ 0. */
  observe(model: string, outputTokens: number): void {
    const { value: own } = this.#own.see(model)
    own.add(outputTokens)
    const share = Math.min(1, EQUAL_SHARE / own.distribution.total)
    this.#all.add(outputTokens, Math.ceil(1024 * share) / 1024)
  }

  /** A model's place and classes. */
  of(model: string): ServedModelLengths {
    const own = this.#own.find(model)
    const lengths = own ? own.value : this.#all
    return (
      lengths.known ?? lengths.know(own?.slot, classesOf(own?.value.distribution, this.#all.distribution) ?? UNKNOWN)
    )
  }

  /** Borders and means of a model's classes. */
  classes(model: string): LengthClasses {
    return this.of(model).classes
  }

  /** 0…1, what an answer of the model weighs in what all models have in common: one of many answers does not drown the others. */
  sharedWeight(model: string): number {
    return Math.min(1, SHARED_ANSWERS / (this.#own.find(model)?.value.distribution.total || 1))
  }

  /** Expected output tokens at a class as a real number, 0…4: between the means of the classes on either side. */
  tokensAt(model: string, score: number): number {
    const { means } = this.classes(model)
    const below = Math.min(means.length - 2, Math.floor(score))
    return means[below]! + (score - below) * (means[below + 1]! - means[below]!)
  }

  /** Of all models, then of each, [models + 1, bins]. */
  counts(): Float32Array {
    const all = [this.#all, ...this.#own.entries.map(({ value }) => value)].map(({ distribution }) => distribution)
    const counts = new Float32Array(all.length * LENGTH_BINS)
    for (const [i, distribution] of all.entries()) counts.set(distribution.counts, i * LENGTH_BINS)
    return counts
  }
}

/** The answers of one model or of all, and what was worked out of them. */
class ModelLengths {
  readonly distribution: LengthDistribution
  known: ServedModelLengths | undefined
  /** Answers behind what is known. */
  #knownTotal = 0

  constructor(distribution: LengthDistribution = new LengthDistribution()) {
    this.distribution = distribution
  }

  know(slot: number | undefined, classes: LengthClasses): ServedModelLengths {
    this.#knownTotal = this.distribution.total
    this.known = { slot, classes }
    return this.known
  }

  /** What is known goes when answers are more by a hundredth, or halved: not with every one, which would cost more than a prediction. */
  add(tokens: number, weight = 1): void {
    this.distribution.add(tokens, weight)
    const { total } = this.distribution
    if (total > 1.01 * this.#knownTotal || total < this.#knownTotal) this.known = undefined
  }
}

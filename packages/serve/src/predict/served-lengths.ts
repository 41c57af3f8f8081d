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

/**
 * How long the answers of each served model are: what the five classes mean for it. A model of few answers, or of none, is
 * taken for what all have in common. 256 models are told apart, by 256 letters of their names; one that is not in use makes room.
 */
export class ServedLengths {
  readonly #own = new NameTable(
    MOST_NAMES,
    () => new LengthDistribution(),
    ({ name }) => this.#ownClasses.delete(name),
  )
  readonly #ownClasses = new Map<string, CountedClasses>()
  #all = new LengthDistribution()
  #allClasses: CountedClasses | undefined

  /** @param counts  as `counts()` of models with these names gave them */
  static of(names: readonly string[], counts: Float32Array): ServedLengths {
    const lengths = new ServedLengths()
    const distribution = (i: number): LengthDistribution =>
      new LengthDistribution(counts.slice(i * LENGTH_BINS, (i + 1) * LENGTH_BINS))
    lengths.#all = distribution(0)
    for (const [i, name] of names.entries()) {
      const own = distribution(i + 1)
      lengths.#own.see(name, own, own.total)
    }
    return lengths
  }

  /** Names of the models that answers were seen of, by slot. */
  get models(): string[] {
    return this.#own.entries.map(({ name }) => name)
  }

  /** The model's place among them; undefined for one that is not told apart. */
  slotOf(model: string): number | undefined {
    return this.#own.find(model)?.slot
  }

  /** Counts an answer of a number of tokens ≥ 0. */
  observe(model: string, outputTokens: number): void {
    const { name, value: own } = this.#own.see(model)
    own.add(outputTokens)
    const share = Math.min(1, EQUAL_SHARE / own.total)
    this.#all.add(outputTokens, Math.ceil(1024 * share) / 1024)
    const known = this.#ownClasses.get(name)
    if (known && hasGrown(own, known.total)) this.#ownClasses.delete(name)
    if (this.#allClasses && hasGrown(this.#all, this.#allClasses.total)) this.#allClasses = undefined
  }

  /** Borders and means of a model's classes. */
  classes(model: string): LengthClasses {
    const own = this.#own.find(model)
    const known = own ? this.#ownClasses.get(own.name) : this.#allClasses
    if (known) return known.classes
    const counted = {
      classes: classesOf(own?.value, this.#all) ?? UNKNOWN,
      total: (own?.value ?? this.#all).total,
    }
    if (own) this.#ownClasses.set(own.name, counted)
    else this.#allClasses = counted
    return counted.classes
  }

  /** 0…1, what an answer of the model weighs in what all models have in common: one of many answers does not drown the others. */
  sharedWeight(model: string): number {
    return Math.min(1, SHARED_ANSWERS / (this.#own.find(model)?.value.total || 1))
  }

  /** Expected output tokens at a class as a real number, 0…4: between the means of the classes on either side. */
  tokensAt(model: string, score: number): number {
    const { means } = this.classes(model)
    const below = Math.min(means.length - 2, Math.floor(score))
    return means[below]! + (score - below) * (means[below + 1]! - means[below]!)
  }

  /** [models + 1, bins]: of all models, then of each. */
  counts(): Float32Array {
    const all = [this.#all, ...this.#own.entries.map(({ value }) => value)]
    const counts = new Float32Array(all.length * LENGTH_BINS)
    for (const [i, distribution] of all.entries()) counts.set(distribution.counts, i * LENGTH_BINS)
    return counts
  }
}

/** Classes, and how many answers they are of. */
interface CountedClasses {
  readonly classes: LengthClasses
  readonly total: number
}

/** By a hundredth, or halved: classes are worked out anew then, not for every answer, which would cost more than a prediction. */
const hasGrown = (lengths: LengthDistribution, total: number): boolean =>
  lengths.total > 1.01 * total || lengths.total < total

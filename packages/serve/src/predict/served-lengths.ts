import { classesOf, LENGTH_BINS, type LengthClasses, LengthDistribution } from './length-distribution.js'

/** Where nothing was learnt yet: percentiles that chat services often show; the first answers replace them. */
const UNKNOWN: LengthClasses = {
  borders: Float64Array.of(64, 192, 448, 1536),
  means: Float64Array.of(32, 120, 310, 700, 2048),
}
const EQUAL_SHARE = 64 // answers of a model that count in full for all models together; then ever less, so that none outweighs
const MOST_NAMES = 4096 // models told apart by name; more share one distribution

/**
 * How long the answers of each served model are: what the five classes mean for it. A model of few answers, or of none, is
 * taken for what all have in common.
 */
export class ServedLengths {
  readonly #own = new Map<string, LengthDistribution>()
  readonly #ownClasses = new Map<string, CountedClasses>()
  #all = new LengthDistribution()
  #allClasses: CountedClasses | undefined

  /** @param counts  as `counts()` of models with these names gave them */
  static of(names: readonly string[], counts: Float32Array): ServedLengths {
    const lengths = new ServedLengths()
    const distribution = (i: number): LengthDistribution =>
      new LengthDistribution(counts.slice(i * LENGTH_BINS, (i + 1) * LENGTH_BINS))
    lengths.#all = distribution(0)
    for (const [i, name] of names.entries()) lengths.#own.set(name, distribution(i + 1))
    return lengths
  }

  /** Names of the models that answers were seen of. */
  get models(): string[] {
    return [...this.#own.keys()]
  }

  /** Counts an answer of a number of tokens ≥ 0. Returns whether it is the first of a model that is told apart. */
  observe(model: string, outputTokens: number): boolean {
    let own = this.#own.get(model)
    const isNew = !own && this.#own.size < MOST_NAMES
    if (isNew) {
      own = new LengthDistribution()
      this.#own.set(model, own)
    }
    own?.add(outputTokens)
    const share = Math.min(1, EQUAL_SHARE / (own?.total ?? 1))
    this.#all.add(outputTokens, Math.ceil(1024 * share) / 1024)
    const known = this.#ownClasses.get(model)
    if (known && hasGrown(own, known.total)) this.#ownClasses.delete(model)
    if (this.#allClasses && hasGrown(this.#all, this.#allClasses.total)) this.#allClasses = undefined
    return isNew
  }

  /** Borders and means of a model's classes. */
  classes(model: string): LengthClasses {
    const own = this.#own.get(model)
    const known = own ? this.#ownClasses.get(model) : this.#allClasses
    if (known) return known.classes
    const counted = { classes: classesOf(own, this.#all) ?? UNKNOWN, total: (own ?? this.#all).total }
    if (own) this.#ownClasses.set(model, counted)
    else this.#allClasses = counted
    return counted.classes
  }

  /** Expected output tokens at a class as a real number, 0…4: between the means of the classes on either side. */
  tokensAt(model: string, score: number): number {
    const { means } = this.classes(model)
    const below = Math.min(means.length - 2, Math.floor(score))
    return means[below]! + (score - below) * (means[below + 1]! - means[below]!)
  }

  /** [models + 1, bins]: of all models, then of each. */
  counts(): Float32Array {
    const all = [this.#all, ...this.#own.values()]
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
const hasGrown = (lengths: LengthDistribution | undefined, total: number): boolean =>
  lengths === undefined || lengths.total > 1.01 * total || lengths.total < total

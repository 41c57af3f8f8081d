import { doubleTensor, floatTensor, type RandomSource, type Tensor, type TensorReader } from '@trimtab/core'

/**
 * Which trajectories of a pair are kept, M of them:
 * - `top`: those of the highest reward (AWARE, 5.4.3)
 * - `half`: half of the highest, half of the lowest reward, the latter without those of the first tenth of all episodes (FLASH, 5.6.1)
 * - `mixed`: half the newest exploratory ones, half the newest others. What a context teaches comes from exploration: an episode of
 *   random actions leaves 4–7 % of the reward to gain, one of the policy's own 10–16 % (measured on autoscaling).
 */
export type BufferRule = 'top' | 'half' | 'mixed'

/** One remembered sequence: rows [T, I] that the encoder reads. */
interface Entry {
  readonly rows: Float32Array
  readonly total: number
  /** Which insertion it was, from 0. */
  readonly episode: number
  readonly isExploratory: boolean
}

/** What an encoder is given of one pair: m sequences, padded to T; none is the null context. */
export interface DrawnContext {
  /** [m, T, I] */
  readonly steps: Float32Array
  /** [m] */
  readonly lengths: Int32Array
}

/** How much of a buffer a draw takes. */
export interface DrawLimits {
  /** At most so many sequences. */
  readonly sequences: number
  /** At most so many consecutive steps of each. */
  readonly steps: number
}

export const NULL_CONTEXT: DrawnContext = { steps: new Float32Array(0), lengths: new Int32Array(0) }

/** The trajectories (or samples) of one ⟨application, environment⟩ pair that its embedding is made of. */
export class ContextBuffer {
  readonly #rule: BufferRule
  readonly #capacity: number
  readonly #columns: number
  #entries: Entry[] = [] // in order of insertion
  #inserted = 0

  /**
   * @param capacity  M
   * @param columns   I, width of a row
   */
  constructor(rule: BufferRule, capacity: number, columns: number) {
    this.#rule = rule
    this.#capacity = capacity
    this.#columns = columns
  }

  /** Sequences kept now. */
  get size(): number {
    return this.#entries.length
  }

  /** Takes a sequence in and lets go of what the rule no longer wants. */
  insert(rows: Float32Array, total: number, isExploratory: boolean): void {
    this.#entries.push({ rows, total, episode: this.#inserted++, isExploratory })
    const kept = this.#chosen()
    this.#entries = this.#entries.filter((entry) => kept.has(entry))
  }

  /** All that is kept, the newest first where there is more than the limits allow; of long sequences the end. */
  all(limits: DrawLimits): DrawnContext {
    return this.#pack(this.#entries.slice(-limits.sequences), limits.steps, (extra) => extra)
  }

  /**
   * A random part: 1 … `sequences` of them without repetition, a random window of each. Half of the draws take exploratory ones
   * alone, as the first context of a new pair is.
   */
  draw(random: RandomSource, limits: DrawLimits): DrawnContext {
    if (this.#entries.length === 0) return NULL_CONTEXT
    const exploratory = this.#entries.filter(({ isExploratory }) => isExploratory)
    const from = exploratory.length > 0 && random.uniform() < 0.5 ? exploratory : [...this.#entries]
    const count = 1 + random.integer(Math.min(limits.sequences, from.length))
    for (let i = 0; i < count; i++) {
      const j = i + random.integer(from.length - i)
      const entry = from[i]!
      from[i] = from[j]!
      from[j] = entry
    }
    return this.#pack(from.slice(0, count), limits.steps, (extra) => random.integer(extra + 1))
  }

  /** What it holds as tensors whose names begin with `prefix`. */
  save(prefix: string): Tensor[] {
    const rows = new Float32Array(this.#entries.reduce((sum, entry) => sum + entry.rows.length, 0))
    let at = 0
    for (const entry of this.#entries) {
      rows.set(entry.rows, at)
      at += entry.rows.length
    }
    const meta = this.#entries.flatMap((entry) => [
      entry.rows.length / this.#columns,
      entry.total,
      entry.episode,
      entry.isExploratory ? 1 : 0,
    ])
    return [
      doubleTensor(`${prefix}counts`, [this.#inserted, this.#entries.length]),
      doubleTensor(`${prefix}entries`, meta),
      floatTensor(`${prefix}rows`, [rows.length / this.#columns, this.#columns], rows),
    ]
  }

  /** Two steps, as everywhere: the returned function applies the state and cannot fail. */
  load(reader: TensorReader, prefix: string): () => void {
    const [inserted, size] = reader.doubles(`${prefix}counts`, 2) as unknown as [number, number]
    const meta = reader.doubles(`${prefix}entries`, 4 * size)
    let length = 0
    for (let i = 0; i < size; i++) length += meta[4 * i]!
    const rows = reader.floats(`${prefix}rows`, [length, this.#columns])
    let at = 0
    const entries = Array.from({ length: size }, (_, i): Entry => {
      const [steps, total, episode, exploratory] = meta.subarray(4 * i, 4 * i + 4) as unknown as number[]
      const from = at
      at += steps! * this.#columns
      return { rows: rows.slice(from, at), total: total!, episode: episode!, isExploratory: exploratory === 1 }
    })
    return () => {
      this.#entries = entries
      this.#inserted = inserted
    }
  }

  /** What the rule keeps of all that is here. */
  #chosen(): Set<Entry> {
    const entries = this.#entries
    const half = this.#capacity >> 1
    const best = [...entries].sort((a, b) => b.total - a.total || b.episode - a.episode)
    switch (this.#rule) {
      case 'top':
        return new Set(best.slice(0, this.#capacity))
      case 'half': {
        const high = new Set(best.slice(0, this.#capacity - half))
        const representative = best.filter((entry) => !high.has(entry) && entry.episode >= 0.1 * this.#inserted)
        return new Set([...high, ...representative.slice(-half)])
      }
      case 'mixed': {
        const exploratory = entries.filter(({ isExploratory }) => isExploratory).slice(-half)
        const others = entries.filter(({ isExploratory }) => !isExploratory)
        return new Set([...exploratory, ...others.slice(exploratory.length - this.#capacity)])
      }
      default:
        return this.#rule satisfies never
    }
  }

  /** @param start  which of 0 … extra is the first step of a sequence that is longer than allowed */
  #pack(entries: readonly Entry[], limit: number, start: (extra: number) => number): DrawnContext {
    const columns = this.#columns
    const lengths = Int32Array.from(entries, ({ rows }) => Math.min(limit, rows.length / columns))
    const longest = lengths.reduce((a, b) => Math.max(a, b), 0)
    const steps = new Float32Array(entries.length * longest * columns)
    for (const [i, { rows }] of entries.entries()) {
      const first = start(rows.length / columns - lengths[i]!) * columns
      steps.set(rows.subarray(first, first + lengths[i]! * columns), i * longest * columns)
    }
    return { steps, lengths }
  }
}

import { estimateTokens } from '@trimtab/serve'

/** How many tokens an answer took, or why that cannot be said. */
export type OutputCount =
  | {
      readonly tokens: number
      /** What the upstream said, or an estimate from the text. */
      readonly source: 'usage' | 'text'
    }
  | {
      readonly tokens: undefined
      /** Broke off or failed, came compressed, or said nothing of its length. */
      readonly reason: 'cut' | 'compressed' | 'silent'
    }

/** Reasons to finish of answers that did not: what Triton, vLLM and SGLang say of one that was aborted. */
const CUT: ReadonlySet<string> = new Set(['', 'abort', 'aborted', 'error', 'cancelled', 'failed', 'in_progress'])
const LONGEST_TEXT = 16 * 1024 * 1024 // UTF-16 units

/** What is known of an answer so far, whatever its protocol. One request may ask for several choices. */
export class AnswerTally {
  /** Output tokens of all choices, as the upstream says. */
  usage: number | undefined
  hasFailed = false
  /** The protocol's own end has come. */
  hasEnded = false
  readonly #texts = new Map<number, string>()
  readonly #reasons = new Map<number, string>()
  #length = 0

  get hasText(): boolean {
    return this.#length > 0
  }

  addText(choice: number, text: unknown): void {
    if (typeof text !== 'string' || text === '') return
    this.#length += text.length
    if (this.#length > LONGEST_TEXT) this.hasFailed = true
    else this.#texts.set(choice, (this.#texts.get(choice) ?? '') + text)
  }

  /** Why a choice has finished; null as long as it has not. */
  setReason(choice: number, reason: unknown): void {
    if (typeof reason === 'string') this.#reasons.set(choice, reason)
  }

  count(): OutputCount {
    const reasons = [...this.#reasons.values()]
    const isEachFinished = reasons.length > 0 && [...this.#texts.keys()].every((choice) => this.#reasons.has(choice))
    if (this.hasFailed || reasons.some((reason) => CUT.has(reason)) || !(this.hasEnded || isEachFinished))
      return { tokens: undefined, reason: 'cut' }
    if (this.usage !== undefined) return { tokens: this.usage, source: 'usage' }
    if (!this.hasText) return { tokens: undefined, reason: 'silent' }
    const tokens = [...this.#texts.values()].reduce((sum, text) => sum + estimateTokens(text), 0)
    return { tokens, source: 'text' }
  }
}

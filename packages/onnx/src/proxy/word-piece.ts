import { ConfigError } from '@trimtab/core'
import { type BasicTokenizerOptions, basicTokens } from './basic-tokenizer.js'

const CONTINUATION = '##'
const LONGEST_WORD = 100 // characters; longer ones are unknown, as in the models' own tokenizers
/** Spaces, and ideographs, which are words of their own. */
const WORD_START = /[ \t\n\r\u00A0\u3000\u3400-\u4DBF\u4E00-\u9FFF]/
const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'] as const
/** English prose has about 4.5 characters a token; the first piece of text that is looked at is ample. */
const CHARACTERS_PER_TOKEN = 8

/**
 * BERT's WordPiece tokenizer: words, then the longest pieces that the vocabulary has.
 *
 * What looks like a special token in the text ("[SEP]") is punctuation and letters like any other: a prompt cannot forge one.
 *
 * Source: google-research/bert, tokenization.py.
 *
 * @example
 * const tokenizer = new WordPieceTokenizer(readFileSync('vocab.txt', 'utf8'))
 * tokenizer.encode('How long will it be?', 512) // Int32Array: [CLS] … [SEP]
 */
export class WordPieceTokenizer {
  readonly paddingId: number
  readonly #ids = new Map<string, number>()
  readonly #options: BasicTokenizerOptions
  readonly #unknown: number
  readonly #first: number
  readonly #last: number

  /**
   * @param vocabulary  the text of `vocab.txt`: a token a line, its id is the line's number from 0
   * @throws {ConfigError} `vocabulary_invalid`
   */
  constructor(vocabulary: string, options: BasicTokenizerOptions = {}) {
    for (const [id, token] of vocabulary
      .replace(/\r?\n$/, '')
      .split(/\r?\n/)
      .entries()) {
      this.#ids.set(token, id) // of a token twice the last counts, as where the models were trained
    }
    const missing = SPECIAL.filter((token) => !this.#ids.has(token))
    if (missing.length > 0) {
      throw new ConfigError(
        'vocabulary_invalid',
        `a vocabulary of ${this.#ids.size} tokens without ${missing.join(', ')}: pass the text of the model's vocab.txt, one token a line`,
      )
    }
    ;[this.paddingId, this.#unknown, this.#first, this.#last] = SPECIAL.map((token) => this.#ids.get(token)!) as [
      number,
      number,
      number,
      number,
    ]
    this.#options = options
  }

  /** Ids of all pieces of a text, without the special tokens around. */
  pieces(text: string): number[] {
    const ids: number[] = []
    for (const word of basicTokens(text, this.#options)) this.#appendPieces(word, ids)
    return ids
  }

  /**
   * [CLS], the **last** pieces of the text that fit, [SEP]: at most `maxTokens` ids. Of a long conversation, what was said last
   * tells most about the answer (6.3.2). What comes long before the cut is not looked at.
   */
  encode(text: string, maxTokens: number): Int32Array {
    const room = maxTokens - 2
    let pieces: number[] = []
    for (let length = room * CHARACTERS_PER_TOKEN; ; length *= 2) {
      const start = wordStart(text, text.length - length)
      pieces = this.pieces(text.slice(start))
      if (pieces.length >= room || start === 0) break
    }
    return Int32Array.of(this.#first, ...pieces.slice(Math.max(0, pieces.length - room)), this.#last)
  }

  #appendPieces(word: string, ids: number[]): void {
    const characters = [...word]
    if (characters.length > LONGEST_WORD) {
      ids.push(this.#unknown)
      return
    }
    const before = ids.length
    for (let start = 0; start < characters.length; ) {
      let end = characters.length
      let id: number | undefined
      for (; end > start; end--) {
        const piece = characters.slice(start, end).join('')
        id = this.#ids.get(start === 0 ? piece : CONTINUATION + piece)
        if (id !== undefined) break
      }
      if (id === undefined) {
        ids.length = before // a word is known as a whole or not at all
        ids.push(this.#unknown)
        return
      }
      ids.push(id)
      start = end
    }
  }
}

/** The start of the word that reaches over `at`: text may be cut there without changing what follows. */
function wordStart(text: string, at: number): number {
  for (let i = at; i > 0; i--) if (WORD_START.test(text[i]!)) return i
  return 0
}

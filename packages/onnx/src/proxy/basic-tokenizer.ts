// BERT's basic tokenizer: text → words, before any vocabulary. As google-research/bert's tokenization.py.

// Control characters, formats, private and lone surrogates vanish, the replacement character too; tabs and line ends are spaces.
const REMOVED = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\uFFFD]/gu
const LINE_ENDS = /[\t\n\r]/g
// Ideographs are words of their own: CJK has no spaces. Hangul and Kana are not meant.
const IDEOGRAPH =
  /[\u4E00-\u9FFF\u3400-\u4DBF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B820}-\u{2CEAF}\uF900-\uFAFF\u{2F800}-\u{2FA1F}]/gu
// Every ASCII character that is neither letter, digit nor space counts ("$", "`"), beside Unicode's own class.
const PUNCTUATION = /[!-/:-@[-`{-~\p{P}]/gu
const ACCENT = /\p{Mn}/gu

/** How text is cleaned before it is cut into word pieces; it has to be as in training. */
export interface BasicTokenizerOptions {
  /** As the vocabulary's model was trained: true for `uncased` ones. Default true. */
  readonly lowerCase?: boolean
  /** Default: as `lowerCase`. */
  readonly stripAccents?: boolean
}

/** The words of a text in order; punctuation and ideographs are words of one character. */
export function basicTokens(text: string, options: BasicTokenizerOptions = {}): string[] {
  const { lowerCase = true, stripAccents = lowerCase } = options
  const clean = text.replace(LINE_ENDS, ' ').replace(REMOVED, '').replace(IDEOGRAPH, ' $& ')
  const cased = lowerCase ? clean.toLowerCase() : clean
  const plain = stripAccents ? cased.normalize('NFD').replace(ACCENT, '') : cased
  return plain.replace(PUNCTUATION, ' $& ').split(/\s+/).filter(Boolean)
}

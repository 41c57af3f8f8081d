import { Tokenizer } from '@huggingface/tokenizers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WordPieceTokenizer } from '../src/index.js'
import { basicTokens } from '../src/proxy/basic-tokenizer.js'

/** Characters of the texts, alone and as continuations, and some longer pieces that compete with them. */
const LETTERS = 'abcdeghilnoprstuwyzABCDEÅÄàéçñöüßαβςσλдж你好吗日本語カナ한글0123456789.,!?$`~[](){}-_\'"€₹§¿“”…—'
const WORDS =
  'the then they long longest how many words list unaffable aff ##aff ##able ##ing ##est ##s CLS SEP cls sep PAD'
const VOCABULARY = [
  ...['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'],
  ...new Set([...LETTERS].flatMap((letter) => [letter, `##${letter}`])),
  ...WORDS.split(' '),
]

/** Hugging Face's tokenizer of the same vocabulary, an independent implementation. */
function peerOf(lowerCase: boolean): (text: string) => number[] {
  const peer = new Tokenizer(
    {
      version: '1.0',
      added_tokens: [],
      normalizer: {
        type: 'BertNormalizer',
        clean_text: true,
        handle_chinese_chars: true,
        strip_accents: null,
        lowercase: lowerCase,
      },
      pre_tokenizer: { type: 'BertPreTokenizer' },
      post_processor: null,
      decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
      model: {
        type: 'WordPiece',
        unk_token: '[UNK]',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries(VOCABULARY.map((token, id) => [token, id])),
      },
    } as never,
    {} as never,
  )
  return (text) => peer.encode(text, { add_special_tokens: false } as never).ids as number[]
}

// The peer looks at UTF-16 units and leaves these inside words; google-research/bert does not.
const RARE_IDEOGRAPH = /[\u{20000}-\u{2FA1F}]/u

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...LETTERS, ' ', ' ', '\n', '\t'), maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc
    .array(fc.constantFrom(...WORDS.split(' '), ' ', '? ', 'é', 'e\u0301'), { maxLength: 20 })
    .map((all) => all.join('')),
)

describe('the WordPiece tokenizer', () => {
  it.each([true, false])('cuts any text as an independent one does; lower case %s', (lowerCase) => {
    const ours = new WordPieceTokenizer(VOCABULARY.join('\n'), { lowerCase })
    const theirs = peerOf(lowerCase)
    fc.assert(
      fc.property(text, (sample) => {
        fc.pre(!RARE_IDEOGRAPH.test(sample))
        expect(ours.pieces(sample)).toEqual(theirs(sample))
      }),
      { numRuns: 3000 },
    )
  })

  it.each([
    ['takes accents off and lowers the case', 'Héllo Ünïted ÅÇÉ', 'hello united ace'],
    ['keeps what is no accent', 'straße øre ł', 'straße øre ł'],
    ['makes every ideograph a word, and neither Kana nor Hangul', '你好abc吗 カナ 한', '你 好 abc 吗 カナ ᄒ\u1161ᆫ'],
    [
      'cuts at punctuation, ASCII symbols included',
      "don't pay $5,000—now_or^never",
      "don ' t pay $ 5 , 000 — now _ or ^ never",
    ],
    ['leaves other symbols in words', '5€ x²', '5€ x²'],
    ['drops controls, formats and the replacement character', 'a\u0000b\u200Bc\uFFFDd\u0007 e\u00ADf', 'abcd ef'],
    ['takes any space as one', ' a\t\tb\r\nc\u00A0d\u3000e\u2028f ', 'a b c d e f'],
    ['has nothing for nothing', ' \n\u200B ', ''],
  ])('%s', (_, given, wanted) => {
    expect(basicTokens(given).join(' ')).toBe(wanted)
  })

  it('keeps case and accents for models that know them', () => {
    expect(basicTokens('Héllo, Wörld', { lowerCase: false })).toEqual(['Héllo', ',', 'Wörld'])
    expect(basicTokens('Héllo', { lowerCase: true, stripAccents: false })).toEqual(['héllo'])
  })

  const tokenizer = new WordPieceTokenizer(VOCABULARY.join('\r\n'))
  const idOf = (token: string): number => VOCABULARY.indexOf(token)
  const named = (ids: ArrayLike<number>): string => Array.from(ids, (id) => VOCABULARY[id]).join(' ')

  it('prefers the longest piece, and knows a word as a whole or not at all', () => {
    expect(named(tokenizer.pieces('unaffable longest thenaffs'))).toBe('unaffable longest then ##aff ##s')
    expect(named(tokenizer.pieces('thexthe words'))).toBe('[UNK] words')
    expect(named(tokenizer.pieces(`${'a'.repeat(101)} ${'a'.repeat(3)}`))).toBe('[UNK] a ##a ##a')
  })

  it('lets no prompt forge a special token', () => {
    expect(tokenizer.pieces('[SEP] [CLS]')).not.toContain(idOf('[SEP]'))
    expect(named(tokenizer.pieces('[SEP]'))).toBe('[ sep ]')
  })

  it('keeps the end of a long conversation, as if all of it had been read', () => {
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 30 }).map((parts) => parts.join(' ')),
        fc.integer({ min: 3, max: 40 }),
        (sample, maxTokens) => {
          const whole = tokenizer.pieces(sample)
          const kept = whole.slice(Math.max(0, whole.length - (maxTokens - 2)))
          expect([...tokenizer.encode(sample, maxTokens)]).toEqual([idOf('[CLS]'), ...kept, idOf('[SEP]')])
        },
      ),
      { numRuns: 500 },
    )
  })

  it('is refused without the special tokens that it needs', () => {
    expect(() => new WordPieceTokenizer('hello\nworld')).toThrow(
      'a vocabulary of 2 tokens without [PAD], [UNK], [CLS], [SEP]',
    )
  })
})

/** A message of a conversation, as chat services take it; parts that are not text are left out. */
export interface Message {
  readonly role?: string
  readonly content?: string | null | readonly { readonly type?: string; readonly text?: string }[]
}

/** The context of the predictor, in tokens (dissertation B.4). */
export const CONTEXT_TOKENS = 512

/**
 * A conversation as one prompt: all rounds one after another, of which the last 512 tokens are kept.
 *
 * Tokens are estimated: a word takes one and one more for every six letters after the sixth, three digits one, a mark one, and
 * every letter beyond U+2E80 one.
 *
 * Source: dissertation B.4.
 * @example
 * concatenateRounds([{ role: 'user', content: 'Hi' }, { role: 'assistant', content: 'Hello!' }, { role: 'user', content: 'Tell me more' }])
 */
export function concatenateRounds(messages: readonly Message[], tokens: number = CONTEXT_TOKENS): string {
  const rounds: string[] = []
  let left = tokens
  for (let i = messages.length - 1; i >= 0 && left > 0; i--) {
    const text = textOf((messages[i] as Message | null)?.content)
    if (text === '') continue
    const { start, taken } = lastTokens(text, left)
    rounds.unshift(text.slice(start))
    left -= taken
  }
  return rounds.join('\n')
}

/**
 * A text, or what is text among parts (`{ type: 'text', text }`) and prompts, a line each; images and token numbers say nothing here.
 * @param content  from outside: anything may stand there
 */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  const texts = content.map((part: unknown) =>
    typeof part === 'string' ? part : (part as { text?: unknown } | null)?.text,
  )
  return texts.filter((text) => typeof text === 'string').join('\n')
}

/** About how many tokens a text takes, reckoned as `concatenateRounds` does. */
export function estimateTokens(text: string): number {
  return lastTokens(text, Number.POSITIVE_INFINITY).taken
}

/** Where the last `tokens` of a text start, read from its end, and how many there are. */
function lastTokens(text: string, tokens: number): { readonly start: number; readonly taken: number } {
  let taken = 0
  let start = text.length
  while (start > 0) {
    const kind = kindOf(text.charCodeAt(start - 1))
    let from = start - 1
    while (from > 0 && kind !== 'mark' && kind !== 'wide' && kindOf(text.charCodeAt(from - 1)) === kind) from--
    const cost = tokensOf(kind, start - from)
    if (taken + cost > tokens) break
    taken += cost
    start = from
  }
  // Half of a pair of surrogates is no letter.
  const isHalf = start > 0 && start < text.length && (text.charCodeAt(start) & 0xfc00) === 0xdc00
  return { start: isHalf ? start + 1 : start, taken }
}

type Kind = 'letter' | 'digit' | 'space' | 'mark' | 'wide'

function kindOf(unit: number): Kind {
  if (unit >= 0x2e80) return 'wide'
  if (unit >= 0x2000) return 'mark'
  if (unit >= 0xc0 || ((unit | 0x20) - 97) >>> 0 < 26) return 'letter'
  if (unit >= 48 && unit <= 57) return 'digit'
  return unit <= 32 || unit === 0xa0 ? 'space' : 'mark'
}

function tokensOf(kind: Kind, length: number): number {
  if (kind === 'space') return 0
  if (kind === 'letter') return 1 + Math.max(0, Math.floor((length - 1) / 6))
  return kind === 'digit' ? Math.ceil(length / 3) : 1
}

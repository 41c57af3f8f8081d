// Text from outside (names in traces, tables, models; what a server said) on its way to a terminal, a log or a line of text.

/** Controls, formats (bidirectional overrides, zero widths, tags), lone surrogates, separators of lines and paragraphs. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** `\n`, `\u001b`, as JSON writes it: a text of JSON that passes through still says the same. */
export const escapeUnprintable = (character: string): string =>
  SHORT[character] ??
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('')

/**
 * The text in one line that shows all of it and does nothing: what a terminal or a log would obey, or not show, is written as in JSON.
 * Letters of every script stay; a text that is printable comes back as it is.
 *
 * @example
 * printable('root\u001b[2J\nFAKE') // 'root\\u001b[2J\\nFAKE'
 */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escapeUnprintable)

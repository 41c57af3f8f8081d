// JSON that says the same as `JSON.stringify` would, but as oddly as the grammar allows.

/** Numbers 0…1 from a list of integers, over and over. */
export function drawFrom(list: readonly number[]): () => number {
  let at = 0
  return () => {
    const value = list[at++ % list.length]! / 997
    return value - Math.floor(value)
  }
}

const SPACES = ['', '', '', ' ', '\n', '\t\r\n  ']
const JUNK: unknown[] = [null, true, -1.5e-3, '}]",\\', [], [[{}]], { spans: [{ spanID: 'x' }], a: ['"'] }, 'ü🚀']

export function noisyJson(value: unknown, draw: () => number): string {
  const space = () => SPACES[Math.floor(draw() * SPACES.length)]!
  const text = (from: string) =>
    `"${Array.from({ length: from.length }, (_, i) => {
      const unit = from.charCodeAt(i)
      const isPlain = unit >= 0x20 && unit !== 0x22 && unit !== 0x5c && !(unit >= 0xd800 && unit < 0xe000)
      if (isPlain && draw() < 0.9) return from[i]
      if (unit === 0x2f && draw() < 0.5) return '\\/'
      return `\\u${unit.toString(16).padStart(4, '0')}`
    }).join('')}"`
  const number = (from: number) => (draw() < 0.2 && Number.isSafeInteger(from) ? `${from}.0e0` : JSON.stringify(from))
  const write = (from: unknown): string => {
    if (typeof from === 'string') return text(from)
    if (typeof from === 'number') return number(from)
    if (Array.isArray(from)) return `[${space()}${from.map(write).join(`${space()},${space()}`)}${space()}]`
    if (typeof from !== 'object' || from === null) return JSON.stringify(from)
    const fields = Object.entries(from).map((field) => ({ field, order: draw() }))
    if (draw() < 0.5) fields.sort((a, b) => a.order - b.order)
    const entries = fields.map(({ field: [key, inner] }) => [key, write(inner)] as const)
    if (draw() < 0.2)
      entries.splice(draw() * entries.length, 0, [
        `x-${draw()}`,
        JSON.stringify(JUNK[Math.floor(draw() * JUNK.length)]),
      ])
    // A key may come twice; the last one counts.
    if (draw() < 0.1 && entries.length > 0) {
      const [key] = entries[0]!
      if (!['data', 'spans', 'processes'].includes(key))
        entries.unshift([key, JSON.stringify(JUNK[Math.floor(draw() * JUNK.length)])])
    }
    return `{${space()}${entries.map(([key, inner]) => `${text(key)}${space()}:${space()}${inner}`).join(`${space()},${space()}`)}${space()}}`
  }
  return `${space()}${write(value)}${space()}`
}

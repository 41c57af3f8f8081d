// Prometheus' text format, as far as counters, gauges and histograms need it.

/** One series as it was scraped. */
export interface ScrapedSample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?\s*$/
const LABEL = /([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*,?\s*/y

/** Reads a page of metrics; a line that is none is left out. */
export function readExposition(text: string): ScrapedSample[] {
  return text.split('\n').flatMap((line) => {
    if (line.startsWith('#')) return []
    const [, name, inside = '', number] = LINE.exec(line) ?? []
    const labels = labelsOf(inside)
    return name === undefined || labels === undefined ? [] : { name, labels, value: numberOf(number!) }
  })
}

/** @returns undefined: not all of it are labels */
function labelsOf(inside: string): Record<string, string> | undefined {
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < inside.length) {
    const match = LABEL.exec(inside)
    if (match === null) return undefined
    labels[match[1]!] = match[2]!.replace(/\\(.)/g, (_, char) => (char === 'n' ? '\n' : char))
  }
  return labels
}

const numberOf = (text: string): number => Number(text.replace(/^([+-]?)Inf$/i, '$1Infinity'))

import type { TrajectoryStep } from '@trimtab/core'
import fc from 'fast-check'
import { numbered } from '../../../test/numbered-steps.js'

export const range = (count: number, from = 0): TrajectoryStep[] =>
  Array.from({ length: count }, (_, i) => numbered(from + i))

const STRANGE = [
  ...[
    'a b',
    'a,b',
    'a=b',
    'a"b',
    "a'b",
    'a\\',
    'a\\,b',
    'a\\\\',
    '\\',
    'a\nb',
    'a\rb',
    'a\0b',
    '#a',
    'ä☃😀',
    '\ud800',
    '\udc00',
  ],
  ...['%0a', '%', '$x', '$\u007bx}', '.', '/', 'time', ' ', '__proto__', 'a%5c', '_x', '""', 'error'],
]
const NASTY = fc.string({ minLength: 1, unit: fc.constantFrom(...'ab ,="\\\n%#$\u007f\u0085') })

/** Names that mean something to the line protocol, to InfluxQL, to Flux or to CSV, and drawn ones; all different. */
export const strangeNames = (drawn: number): string[] => [
  ...new Set([...STRANGE, ...fc.sample(NASTY, { numRuns: drawn, seed: 3 })]),
]

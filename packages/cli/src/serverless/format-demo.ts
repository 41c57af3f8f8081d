import type { ArmVerdict, BlockResult } from '@trimtab/local'
import { type Column, formatTable, type Paint } from '../terminal.js'
import type { DemoReport } from './demo.js'

interface Figure {
  readonly title: string
  readonly of: (block: BlockResult) => number
  readonly digits: number
}

const FIGURES: readonly Figure[] = [
  { title: 'p50 ms', of: ({ p50Ms }) => p50Ms, digits: 1 },
  { title: 'p99 ms', of: ({ p99Ms }) => p99Ms, digits: 0 },
  { title: 'cold requests', of: ({ coldRequests }) => coldRequests, digits: 1 },
  { title: 'failed', of: ({ failures }) => failures, digits: 0 },
  { title: 'containers started', of: ({ started }) => started, digits: 1 },
  { title: 'container·s', of: ({ containerSeconds }) => containerSeconds, digits: 0 },
  { title: 'by a fallback, %', of: ({ fallbacks01 }) => 100 * fallbacks01, digits: 0 },
  { title: 'CPU s', of: ({ cpuSeconds }) => cpuSeconds, digits: 1 },
]

/** One row an arm, the mean over the rounds and from where to where they go, then what may be said of it. */
export function formatDemo({ settings, blocks, verdicts, doubts }: DemoReport, paint: Paint): string {
  const { arms, rounds, seconds } = settings
  const rows = arms.map((arm) => {
    const own = blocks.filter((block) => block.arm === arm)
    return [arm, ...FIGURES.map(({ of, digits }) => cell(own.map(of), digits))]
  })
  const columns: Column[] = FIGURES.map(({ title }) => ({ title, align: 'right' }))
  const heading = `three functions in real processes · ${rounds} rounds of ${seconds} s, the same requests for each · latencies from when a request was due`
  return [
    paint.dim(heading),
    '',
    formatTable([{ title: 'scaled by', align: 'left' }, ...columns], rows, paint),
    '',
    ...verdicts.map((verdict) => `• ${sentenceOf(verdict)}`),
    ...doubts.map((doubt) => `• no verdict: ${doubt}`),
    '',
  ].join('\n')
}

function cell(values: readonly number[], digits: number): string {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return `${mean.toFixed(digits)} (${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})`
}

function sentenceOf({ arm, beside, p99Ratio, p99Ratios, says }: ArmVerdict): string {
  const each = p99Ratios.map((ratio) => ratio.toFixed(2)).join(', ')
  const figures = `${p99Ratio.toFixed(2)} of that of ${beside} (rounds: ${each})`
  return says === 'no difference'
    ? `p99 of ${arm}: ${figures}: no difference that so few rounds could show`
    : `p99 of ${arm} is ${says}: ${figures}`
}

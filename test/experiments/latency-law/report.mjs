// What was measured and what the laws say of it.
import { cpus } from 'node:os'

const table = (head, rows) => [
  `| ${head.join(' | ')} |`,
  `| ${head.map((_, i) => (i === 0 ? '---' : '---:')).join(' | ')} |`,
  ...rows.map((row) => `| ${row.join(' | ')} |`),
  '',
]
const times = (factor) => `${factor.toFixed(2)}×`

export function render({ scaleName, measured, constants, laws }) {
  const { limiter, busy, points } = measured
  const { overheadSeconds, burstPeriods } = constants
  return [
    '# Latency of a pod by its size and load',
    '',
    `\`npm run experiment -- latency-law --scale ${scaleName}\`, ${cpus().length} CPUs (${cpus()[0]?.model ?? 'unknown'}), pods held by ${limiter}: real Node`,
    'processes, one at a time behind the balancer of `trimtab live`, under an open loop. A request works for a while (half of it the same for',
    'all, half exponential) and waits 3 ms on average; latency counts from when it was meant to go out. Figures are of real time and differ from run to run.',
    '',
    ...(busy ? [`**No verdict: ${busy}.**`, ''] : []),
    'Simulated clusters obey one of two laws. `throttled` slows a small pod down all the time and knows nothing beside the application; every report',
    'before this one is under it. `bursting` lets a pod run at full speed until its quota is gone, as CFS does, and has two constants, which',
    `are fitted here to p90 and p99 of all points: **${(1000 * overheadSeconds).toFixed(2)} ms between processes, ${burstPeriods.toFixed(2)} periods of 100 ms ahead of the limit**.`,
    '',
    ...table(
      ['law', 'p99 off by, in the middle', 'at most'],
      Object.entries(laws.errors).map(([name, { middle, most }]) => [name, times(middle), times(most)]),
    ),
    ...table(
      ['work ms', 'cores', 'utilisation', 'requests', 'p50 ms', 'p99 ms', '`throttled`', '`bursting`'],
      points.map((point, i) => [
        ...[point.workMs, point.cores, point.utilisation01.toFixed(2), point.requests, point.p50Ms.toFixed(1)],
        ...[point.p99Ms, laws.points[i].throttledMs, laws.points[i].burstingMs].map((ms) => ms.toFixed(1)),
      ]),
    ),
  ].join('\n')
}

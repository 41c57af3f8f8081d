import type { Trace } from '../types.js'

const STEPS_NS = [1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 100, 10] // decimal, as clocks and formats round
const MIN_TIMES = 4 // different times by chance all on a ten times coarser grid: 1 in 10,000
const MIN_SHARE = 0.99 // a few spans may be stamped by something finer

/** How exact the times of a trace are: of every clock that stamped it, the decimal step that its times are multiples of. */
export interface ClockResolution {
  /** The coarsest of all clocks: what two of them may disagree by without meaning it. */
  readonly resolutionNs: number
  readonly clocks: readonly {
    /** The host where known, else the service. */
    readonly name: string
    readonly resolutionNs: number
    /** Different times that were looked at. */
    readonly times: number
  }[]
}

/**
 * The resolution of the clocks that stamped a trace: for each host (or service, where no host is known) the greatest decimal
 * step that divides 99% of its start times or of its end times, counted from the epoch. Starts and ends are judged apart:
 * some tracers stamp starts in milliseconds and measure durations finely. Fewer than four different times prove nothing
 * and count as exact (1 ns).
 */
export function clockResolution(trace: Trace): ClockResolution {
  const times = new Map<string, { starts: Set<number>; ends: Set<number> }>()
  for (let row = 0; row < trace.size; row++) {
    const name = trace.names.text(trace.host[row]! || trace.service[row]!)
    const clock = times.get(name) ?? { starts: new Set(), ends: new Set() }
    times.set(name, clock)
    clock.starts.add(trace.startNs[row]!)
    clock.ends.add(trace.endNs[row]!)
  }
  const clocks = [...times]
    .map(([name, { starts, ends }]) => ({
      name,
      resolutionNs: Math.max(stepOf(starts, trace.originUnixNs), stepOf(ends, trace.originUnixNs)),
      times: starts.size + ends.size,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return { resolutionNs: clocks.reduce((coarsest, clock) => Math.max(coarsest, clock.resolutionNs), 1), clocks }
}

function stepOf(times: ReadonlySet<number>, originUnixNs: bigint): number {
  if (times.size < MIN_TIMES) return 1
  const step = STEPS_NS.find((candidate) => {
    const offset = Number(originUnixNs % BigInt(candidate))
    let divided = 0
    for (const time of times) if ((time + offset) % candidate === 0) divided++
    return divided >= MIN_SHARE * times.size
  })
  return step ?? 1
}

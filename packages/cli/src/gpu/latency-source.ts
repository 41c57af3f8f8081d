import { LatencyMonitor } from '@trimtab/serve'

/** The latency of what a GPU serves, as somebody outside tells it. */
export interface LatencySource {
  /**
   * Looks again.
   * @param nowMs  of a monotone clock
   */
  read(nowMs: number, signal: AbortSignal): Promise<LatencyReading>
}

export interface LatencyReading {
  /** `undefined`: not known, which a scaler answers with the maximum clock. */
  readonly latencyMs: number | undefined
  /** Why it is not known. */
  readonly problem?: string
  /** Nothing will come any more. */
  readonly isEnd?: boolean
}

/** What was said longer ago says nothing of now: whoever said it may be gone. */
export const SILENCE_MS = 10_000

/**
 * A file whose last line is the latency now: rewritten or appended to by another program. Untouched for 10 s it counts as silent.
 * @param readTail  its last bytes and when it was changed, by any clock
 * @param toMs  of one unit of the file
 */
export function fileSource(
  readTail: () => Promise<{ readonly text: string; readonly modifiedMs: number }>,
  toMs: number,
): LatencySource {
  let changed: { readonly modifiedMs: number; readonly atMs: number } | undefined
  return {
    async read(nowMs) {
      let found: { readonly text: string; readonly modifiedMs: number }
      try {
        found = await readTail()
      } catch (error) {
        return { latencyMs: undefined, problem: (error as Error).message }
      }
      const { text, modifiedMs } = found
      if (changed?.modifiedMs !== modifiedMs) changed = { modifiedMs, atMs: nowMs }
      if (nowMs - changed.atMs >= SILENCE_MS) return { latencyMs: undefined, problem: silence(changed.atMs, nowMs) }
      const line = text.trimEnd().split('\n').at(-1) ?? ''
      const value = toLatency(line, toMs)
      return value === undefined ? { latencyMs: undefined, problem: notALatency(line) } : { latencyMs: value }
    },
  }
}

/**
 * Latencies of requests, a line each, as they finish: their 99th percentile over the last 10 s.
 * @param pieces  of the text, as they come (stdin)
 * @param now  the clock of `read`
 */
export function lineSource(pieces: AsyncIterable<Uint8Array>, toMs: number, now: () => number): LatencySource {
  const monitor = new LatencyMonitor({ windowMs: SILENCE_MS })
  let [isEnd, lastMs, problem] = [false, now(), undefined as string | undefined]
  const follow = async () => {
    const decoder = new TextDecoder()
    let rest = ''
    for await (const piece of pieces) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
      rest = lines.pop()!
      for (const line of lines) take(line)
    }
    take(rest)
  }
  const take = (line: string) => {
    if (line.trim() === '') return
    const latencyMs = toLatency(line, toMs)
    if (latencyMs === undefined) {
      problem = notALatency(line)
      return
    }
    lastMs = now()
    problem = undefined
    monitor.finished(monitor.arrived(lastMs - latencyMs), lastMs)
  }
  follow()
    .catch((error) => {
      problem = (error as Error).message
    })
    .finally(() => {
      isEnd = true
    })
  return {
    async read(nowMs) {
      if (problem !== undefined) return { latencyMs: undefined, problem, isEnd }
      if (nowMs - lastMs >= SILENCE_MS) return { latencyMs: undefined, problem: silence(lastMs, nowMs), isEnd }
      return { latencyMs: monitor.latencyMs(nowMs), isEnd }
    },
  }
}

function toLatency(line: string, toMs: number): number | undefined {
  const value = line.trim() === '' ? Number.NaN : Number(line)
  return value >= 0 && value < Number.POSITIVE_INFINITY ? value * toMs : undefined
}

const notALatency = (line: string) => `${JSON.stringify(line.slice(0, 60))} is no latency: a number of 0 or more a line`
/** The problem of a source that said nothing since. */
export const silence = (sinceMs: number, nowMs: number): string =>
  `nothing new for ${Math.round((nowMs - sinceMs) / 1000)} s`

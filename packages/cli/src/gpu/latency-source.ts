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

/** What shares one clock must keep the SLO as a whole: the highest latency of all, unknown where one is unknown. */
export function slowestSource(sources: readonly LatencySource[]): LatencySource {
  return {
    async read(nowMs, signal) {
      const readings = await Promise.all(sources.map((source) => source.read(nowMs, signal)))
      const slowest = readings.reduce((a, b) => ((b.latencyMs ?? Infinity) > (a.latencyMs ?? Infinity) ? b : a))
      return { ...slowest, isEnd: readings.every(({ isEnd }) => isEnd) }
    },
  }
}

/** What was said longer ago says nothing of now: whoever said it may be gone. */
export const SILENCE_MS = 10_000
/** Longer than any number: a source that ends no line does not fill the memory. */
const LONGEST_LINE = 1000
/** Of a flood so many count, the first ones of each second: a 99th percentile is no surer with more. */
const MOST_A_SECOND = 10_000

/** The end of a file, when it was changed by any clock, and how long ago that was. */
export interface FileTail {
  readonly text: string
  readonly modifiedMs: number
  readonly ageMs: number
}

/**
 * A file whose last line is the latency now: rewritten or appended to by another program. Untouched for 10 s it counts as silent.
 * @param toMs  of one unit of the file
 */
export function fileSource(readTail: () => Promise<FileTail>, toMs: number): LatencySource {
  let changed: { readonly modifiedMs: number; readonly atMs: number } | undefined
  return {
    async read(nowMs) {
      let found: FileTail
      try {
        found = await readTail()
      } catch (error) {
        return { latencyMs: undefined, problem: (error as Error).message }
      }
      const { text, modifiedMs, ageMs } = found
      // Only at first sight the age must do: two hosts of one file system need not agree on the time.
      if (changed?.modifiedMs !== modifiedMs) changed = { modifiedMs, atMs: changed ? nowMs : nowMs - ageMs }
      if (nowMs - changed.atMs >= SILENCE_MS) return { latencyMs: undefined, problem: silence(changed.atMs, nowMs) }
      const line = text.trimEnd().split('\n').at(-1) ?? ''
      const value = toLatency(line, toMs)
      return value === undefined ? { latencyMs: undefined, problem: notALatency(line) } : { latencyMs: value }
    },
  }
}

/**
 * Latencies of requests, a line each, as they finish: their 99th percentile over the last 10 s. Unknown until the first one.
 * @param pieces  of the text, as they come (stdin)
 * @param now  the clock of `read`
 */
export function lineSource(pieces: AsyncIterable<Uint8Array>, toMs: number, now: () => number): LatencySource {
  const monitor = new LatencyMonitor({ windowMs: SILENCE_MS })
  const startMs = now()
  let [isEnd, second, taken] = [false, 0, 0]
  let lastMs: number | undefined
  let problem: string | undefined
  const follow = async () => {
    const decoder = new TextDecoder()
    let rest = ''
    for await (const piece of pieces) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
      rest = lines.pop()!
      for (const line of lines) take(line)
      if (rest.length <= LONGEST_LINE) continue
      problem = tooLong(rest)
      rest = rest.slice(0, LONGEST_LINE + 1) // still too long when its end comes
    }
    take(rest)
  }
  const take = (line: string) => {
    if (line.trim() === '') return
    const latencyMs = toLatency(line, toMs)
    if (latencyMs === undefined) {
      problem = line.length > LONGEST_LINE ? tooLong(line) : notALatency(line)
      return
    }
    lastMs = now()
    problem = undefined
    if (second !== Math.floor(lastMs / 1000)) [second, taken] = [Math.floor(lastMs / 1000), 0]
    if (taken++ < MOST_A_SECOND) monitor.finished(monitor.arrived(lastMs - latencyMs), lastMs)
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
      if (lastMs === undefined) return { latencyMs: undefined, problem: nothingYet(startMs, nowMs), isEnd }
      if (nowMs - lastMs >= SILENCE_MS) return { latencyMs: undefined, problem: silence(lastMs, nowMs), isEnd }
      return { latencyMs: monitor.latencyMs(nowMs), isEnd }
    },
  }
}

function toLatency(line: string, toMs: number): number | undefined {
  const value = line.trim() === '' || line.length > LONGEST_LINE ? Number.NaN : Number(line)
  return isLatency(value * toMs) ? value * toMs : undefined
}

/** Whether a number of ms is a latency: neither NaN nor more than a number holds. */
export const isLatency = (ms: number | undefined): ms is number => ms !== undefined && ms >= 0 && ms < Infinity

const notALatency = (line: string) => `${JSON.stringify(line.slice(0, 60))} is no latency: a number of 0 or more a line`
const tooLong = (line: string) =>
  `a line that begins with ${JSON.stringify(line.slice(0, 60))} has more than ${LONGEST_LINE} characters and is no latency`
const nothingYet = (sinceMs: number, nowMs: number) =>
  nowMs - sinceMs < SILENCE_MS ? 'no latency yet' : silence(sinceMs, nowMs)
/** The problem of a source that said nothing since. */
export const silence = (sinceMs: number, nowMs: number): string =>
  `nothing new for ${Math.round((nowMs - sinceMs) / 1000)} s`

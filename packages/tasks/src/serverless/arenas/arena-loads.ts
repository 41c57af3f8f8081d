import type { Core } from '@trimtab/core'
import { type CallPattern, type CallWindow, drawCallPatterns, drawCalls } from '../loads/call-pattern.js'

/**
 * What the functions of an arena are like. `busy`: called all the time, in bursts as Azure's are. `batches`: called when work was
 * gathered, thousands at once. `rare`: called twice an hour to once a minute, timers among them.
 */
export type LoadKind = 'busy' | 'batches' | 'rare'

const BUSY_CALLS_PER_DAY = 2e6
const BATCH_CALLS = 4000
const RARE_CALLS_PER_DAY = [48, 1440] as const
const DRAWN = 6 // patterns for each that is needed: enough of them are rare

/** Loads in requests a second, one number a step; the same seed, the same loads. */
export function drawLoads(core: Core, kind: LoadKind, seed: number, count: number, window: CallWindow): number[][] {
  const patterns = patternsOf(kind, drawCallPatterns(core, seed, DRAWN * count)).slice(0, count)
  return patterns.map((pattern, i) => {
    const calls = drawCalls(core, pattern, seed * 1000 + i, window)
    return Array.from(calls, (count) => count / window.stepSeconds)
  })
}

function patternsOf(kind: LoadKind, patterns: readonly CallPattern[]): CallPattern[] {
  switch (kind) {
    case 'rare':
      return patterns.filter(
        ({ callsPerDay }) => callsPerDay >= RARE_CALLS_PER_DAY[0] && callsPerDay <= RARE_CALLS_PER_DAY[1],
      )
    case 'busy':
      return patterns.map((pattern) => ({ ...pattern, periodSeconds: 0, callsPerDay: BUSY_CALLS_PER_DAY }))
    case 'batches':
      return patterns
        .filter(({ periodSeconds }) => periodSeconds === 0)
        .map((pattern) => ({ ...pattern, callsPerDay: BUSY_CALLS_PER_DAY, burstCalls: BATCH_CALLS }))
    default:
      return kind satisfies never
  }
}

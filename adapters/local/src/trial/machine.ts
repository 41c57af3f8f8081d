import process from 'node:process'
import { sleep } from '@trimtab/control'
import { quantileOf } from '../quantile.js'

/** How free a machine is for measurements. */
export interface MachineState {
  /** By how much timers are late, 99 % of them at most. */
  readonly timerLagP99Ms: number
  /** CPU time that a busy thread gets, of the time that passes. */
  readonly cpuShare01: number
  /** Rounds of `work` in a millisecond of CPU time. */
  readonly roundsPerMs: number
}

/** Beyond these nothing that is measured means anything. */
const MOST_LAG_MS = 10
const LEAST_SHARE = 0.9

const ROUNDS = 1_000_000
const WORK_MS = 300
const TIMER_MS = 5
const TIMERS = 200

/**
 * Works for a moment, then watches timers for a second.
 * @param work  the function that is to be measured with: so many rounds of it
 */
export async function measureMachine(
  work: (call: { readonly rounds: number }) => unknown,
  signal: AbortSignal,
): Promise<MachineState> {
  work({ rounds: ROUNDS }) // compiled before it counts
  const cpuBefore = process.cpuUsage()
  const before = performance.now()
  let rounds = 0
  for (; performance.now() - before < WORK_MS; rounds += ROUNDS) work({ rounds: ROUNDS })
  const passedMs = performance.now() - before
  const { user, system } = process.cpuUsage(cpuBefore)
  const cpuMs = (user + system) / 1000
  const lagsMs: number[] = []
  while (lagsMs.length < TIMERS && !signal.aborted) {
    const start = performance.now()
    await sleep(TIMER_MS, signal)
    lagsMs.push(performance.now() - start - TIMER_MS)
  }
  return { timerLagP99Ms: quantileOf(lagsMs, 0.99), cpuShare01: cpuMs / passedMs, roundsPerMs: rounds / cpuMs }
}

/** What keeps a machine from measurements; `undefined`: nothing. */
export function whyTooBusy({ timerLagP99Ms, cpuShare01 }: MachineState): string | undefined {
  if (!(timerLagP99Ms < MOST_LAG_MS)) return `timers are ${timerLagP99Ms.toFixed(0)} ms late`
  if (!(cpuShare01 > LEAST_SHARE)) return `a busy thread gets ${(100 * cpuShare01).toFixed(0)} % of a CPU`
  return undefined
}

import { once } from 'node:events'
import http from 'node:http'
import { sleep } from '@trimtab/control'
import type { PodSize } from '@trimtab/tasks/autoscaling'
import { POD_PROGRAM } from '../programs.js'
import type { Limiter } from './limiter.js'
import { Pod } from './pod.js'
import { cpuMsOf } from './process-usage.js'

/** How exactly a limiter holds here, measured on a pod that wants more than it may have. */
export interface LimiterCheck {
  /** CPU time over what the limit allows, minus 1, at the first size; below 0: less. */
  readonly shareError: number
  /** From a change of size until it is in force, ms: as if all were used by the old limit until then. */
  readonly resizeMs: number
}

const FIRST: PodSize = { coresPerReplica: 0.25, memoryMiBPerReplica: 256 }
const SECOND: PodSize = { coresPerReplica: 0.5, memoryMiBPerReplica: 256 }
const SETTLING_MS = 500 // what was saved up while it idled is gone by then

/** Starts a pod, gives it more work than it can do, looks what it uses at one size and after a change to another, and ends it. */
export async function checkLimiter(
  limiter: Limiter,
  {
    periodMs,
    roundsPerMs,
    signal,
  }: { readonly periodMs: number; readonly roundsPerMs: number; readonly signal: AbortSignal },
): Promise<LimiterCheck> {
  const pod = new Pod({ id: 0, program: POD_PROGRAM, size: FIRST, limiter, niceness: 0, onLog: () => {} })
  try {
    const ready = await pod.ready
    if (!ready) return { shareError: Number.NaN, resizeMs: Number.NaN }
    const rounds = Math.round(10 * periodMs * roundsPerMs)
    const request = http.get({ host: '127.0.0.1', port: ready.port, path: `/${rounds}/0`, agent: false })
    request.on('error', () => {}) // the pod ends before it has answered
    await once(request, 'socket')
    await sleep(SETTLING_MS, signal)
    const before = await useOver(pod.pid, periodMs, signal)
    await pod.resize(SECOND)
    const after = await useOver(pod.pid, periodMs, signal)
    const gained = SECOND.coresPerReplica - FIRST.coresPerReplica
    return {
      shareError: before.cpuMs / (FIRST.coresPerReplica * before.passedMs) - 1,
      resizeMs: Math.max(0, (SECOND.coresPerReplica * after.passedMs - after.cpuMs) / gained),
    }
  } finally {
    await pod.kill()
  }
}

async function useOver(pid: number, milliseconds: number, signal: AbortSignal) {
  const [startMs, startCpuMs] = [performance.now(), cpuMsOf(pid)]
  await sleep(milliseconds, signal)
  signal.throwIfAborted()
  return { passedMs: performance.now() - startMs, cpuMs: cpuMsOf(pid) - startCpuMs }
}

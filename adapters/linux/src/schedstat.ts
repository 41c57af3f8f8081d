// What the scheduler counts of each task. Source: the kernel's scheduler/sched-stats.rst, /proc/<pid>/schedstat.
import type { KernelFiles } from './kernel-files.js'

/** Of one task, since it began. */
export interface TaskTimes {
  readonly runNanoseconds: number
  /** Ready, and waiting for a thread. */
  readonly waitNanoseconds: number
}

/** @returns by task; empty where the process is gone, or its times may not be read */
export function readTaskTimes(files: KernelFiles, proc: string, pid: number): ReadonlyMap<string, TaskTimes> {
  const times = new Map<string, TaskTimes>()
  for (const task of files.list(`${proc}/${pid}/task`)) {
    const [run, wait] = files.read(`${proc}/${pid}/task/${task}/schedstat`)?.split(' ').map(Number) ?? []
    if (run !== undefined && wait !== undefined) times.set(task, { runNanoseconds: run, waitNanoseconds: wait })
  }
  return times
}

/** Of a whole process; NaN where nothing is known. Tasks that have ended are not in it. */
export function readProcessTimes(files: KernelFiles, proc: string, pid: number): TaskTimes {
  const times = [...readTaskTimes(files, proc, pid).values()]
  const sum = (of: (one: TaskTimes) => number) =>
    times.length === 0 ? Number.NaN : times.reduce((total, one) => total + of(one), 0)
  return { runNanoseconds: sum((one) => one.runNanoseconds), waitNanoseconds: sum((one) => one.waitNanoseconds) }
}

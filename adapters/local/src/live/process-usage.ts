import { kernelFiles, readProcessTimes } from '@trimtab/linux'

/** CPU time of all its threads since it began; NaN when it is gone. */
export const cpuMsOf = (pid: number): number => readProcessTimes(kernelFiles, '/proc', pid).runNanoseconds / 1e6

/** Memory that it holds, as /proc/PID/status tells; NaN when it is gone. */
export function residentMiB(pid: number): number {
  const [, kib] = /^VmRSS:\s*(\d+) kB$/m.exec(kernelFiles.read(`/proc/${pid}/status`) ?? '') ?? []
  return Number(kib ?? Number.NaN) / 1024
}

import { type KernelFiles, kernelFiles } from './kernel-files.js'

/** Where the kernel says and takes what this package needs; tests hand in trees of their own. */
export interface Machine {
  readonly files: KernelFiles
  readonly cgroup: string
  readonly resctrl: string
  readonly proc: string
  readonly sys: string
}

/** This machine. */
export const thisMachine: Machine = {
  files: kernelFiles,
  cgroup: '/sys/fs/cgroup',
  resctrl: '/sys/fs/resctrl',
  proc: '/proc',
  sys: '/sys',
}

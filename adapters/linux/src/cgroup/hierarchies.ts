import type { KernelFiles } from '../kernel-files.js'

/** What a group may be limited or watched by. `io` is version 1's `blkio`. */
export const CONTROLLERS = ['cpu', 'cpuacct', 'cpuset', 'memory', 'io'] as const
/** A controller by version 2's name. */
export type CgroupController = (typeof CONTROLLERS)[number]

/** Where the groups of a controller are. */
export interface Hierarchy {
  readonly version: 1 | 2
  /** Absolute path of its root group. */
  readonly folder: string
}

export type Hierarchies = Readonly<Partial<Record<CgroupController, Hierarchy>>>

/**
 * What is mounted below `root`: version 2 alone, version 1, or both beside each other (a controller is in one of them only).
 * Source: the kernel's cgroup-v1/cgroups.rst and cgroup-v2.rst.
 */
export function findHierarchies(files: KernelFiles, root: string): Hierarchies {
  const found: Partial<Record<CgroupController, Hierarchy>> = {}
  for (const folder of [root, `${root}/unified`]) {
    const names = files.read(`${folder}/cgroup.controllers`)?.split(' ') ?? []
    for (const controller of CONTROLLERS) if (names.includes(controller)) found[controller] = { version: 2, folder }
    if (found.cpu?.folder === folder) found.cpuacct = { version: 2, folder } // cpu.stat counts there
  }
  for (const controller of CONTROLLERS) {
    const folder = `${root}/${controller === 'io' ? 'blkio' : controller}`
    if (files.read(`${folder}/cgroup.procs`) !== undefined) found[controller] = { version: 1, folder }
  }
  return found
}

/** The folders in which a group must be made to have every controller; each once. */
export const foldersOf = (hierarchies: Hierarchies): string[] => [
  ...new Set(Object.values(hierarchies).map(({ folder }) => folder)),
]

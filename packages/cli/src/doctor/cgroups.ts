// Which resource limits of Linux control groups this process could set: what actuating a real host needs.
import { access, constants, readFile } from 'node:fs/promises'
import process from 'node:process'
import type { Check } from './check.js'

export interface FileReader {
  /** The file's text, undefined when it cannot be read. */
  read(path: string): Promise<string | undefined>
  isWritable(path: string): Promise<boolean>
}

const hostFiles: FileReader = {
  read: (path) => readFile(path, 'utf8').catch(() => undefined),
  // Deno's access() knows the mode bits only, which do not bind root.
  isWritable: (path) =>
    process.getuid?.() === 0
      ? Promise.resolve(true)
      : access(path, constants.W_OK).then(
          () => true,
          () => false,
        ),
}

/** Controllers that limit what autoscaling allocates. */
const NEEDED = ['cpu', 'memory']

export async function checkCgroups(files: FileReader = hostFiles): Promise<Check> {
  const name = 'cgroups'
  const simulation = 'the simulator needs none'
  const mounts = parseMounts((await files.read('/proc/self/mounts')) ?? '')
  if (mounts.length === 0)
    return {
      name,
      state: 'absent',
      found: 'no cgroup file system',
      meaning: `${simulation}; limits of a real host are set on Linux only`,
    }

  const found: string[] = []
  const usable = new Set<string>()
  for (const mount of mounts) {
    const controllers =
      mount.version === 2
        ? ((await files.read(`${mount.path}/cgroup.controllers`)) ?? '').split(/\s+/).filter(Boolean)
        : mount.controllers
    const isWritable = !mount.isReadOnly && (await files.isWritable(mount.path))
    if (isWritable) for (const controller of controllers) usable.add(controller)
    if (mount.version === 2)
      found.push(`v2 with ${controllers.join(', ') || 'no controllers'}${isWritable ? '' : ' (read-only)'}`)
  }
  const first = mounts.filter(({ version }) => version === 1)
  if (first.length > 0) {
    const names = [...new Set(first.flatMap(({ controllers }) => controllers))].sort()
    found.push(`v1 with ${names.join(', ')}`)
  }
  const missing = NEEDED.filter((controller) => !usable.has(controller))
  return {
    name,
    state: missing.length === 0 ? 'ok' : 'absent',
    found: found.join('; '),
    meaning:
      missing.length === 0
        ? `CPU and memory limits can be set from here; ${simulation}`
        : `${missing.join(' and ')} limits cannot be set from here (needs root and a writable hierarchy); ${simulation}`,
  }
}

interface Mount {
  readonly path: string
  readonly version: 1 | 2
  readonly isReadOnly: boolean
  /** Of version 1, from the mount's options. */
  readonly controllers: readonly string[]
}

const V1_CONTROLLERS = new Set([
  'cpu',
  'cpuacct',
  'cpuset',
  'memory',
  'blkio',
  'pids',
  'freezer',
  'devices',
  'hugetlb',
  'net_cls',
  'net_prio',
  'perf_event',
  'rdma',
])

/** Lines of /proc/self/mounts: `cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0`. */
function parseMounts(text: string): Mount[] {
  return text.split('\n').flatMap((line): Mount[] => {
    const [, path, type, text = ''] = line.split(' ')
    if (path === undefined) return []
    const options = text.split(',')
    const isReadOnly = options.includes('ro')
    if (type === 'cgroup2') return [{ path, version: 2, isReadOnly, controllers: [] }]
    const controllers = options.filter((option) => V1_CONTROLLERS.has(option))
    return type === 'cgroup' && controllers.length > 0 ? [{ path, version: 1, isReadOnly, controllers }] : []
  })
}

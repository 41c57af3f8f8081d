import { describe, expect, it } from 'vitest'
import { formatChecks } from '../src/commands/doctor.js'
import { checkCgroups, type FileReader } from '../src/doctor/cgroups.js'
import { main } from '../src/main.js'
import { createPaint } from '../src/terminal.js'
import { createFakeHost } from './fake-host.js'

const filesOf = (files: Readonly<Record<string, string>>, writable: readonly string[]): FileReader => ({
  read: async (path) => files[path],
  isWritable: async (path) => writable.includes(path),
})

describe('trimtab doctor', () => {
  it('finds that Trimtab works here and explains each check', async () => {
    const host = createFakeHost()
    expect(await main(['doctor', '--json'], host)).toBe(0)
    const { ok, checks } = JSON.parse(host.out())
    expect(ok).toBe(true)
    expect(checks.map(({ name }: { name: string }) => name)).toEqual([
      'runtime',
      'core',
      'first decision',
      'debug build',
      'threads',
      'WebGPU',
      'native calls (FFI)',
      'NVIDIA GPUs',
      'cgroups',
      'cross-origin isolation',
    ])
    for (const { found, meaning } of checks) expect([found, meaning]).not.toContain('')
  })

  it('instantiates the debug build of a source checkout through the loader', async () => {
    const host = createFakeHost()
    await main(['doctor'], host)
    expect(host.out()).toMatch(/✓ debug build +ABI \d+ through @assemblyscript\/loader/)
  })

  it('says at the end that Trimtab does not work when a check is bad', () => {
    const plain = createPaint({ write: () => undefined }, {})
    const text = formatChecks(
      [{ name: 'core', state: 'bad', found: 'no WebAssembly', meaning: 'use another' }],
      false,
      plain,
    )
    expect(text).toBe('✗ core  no WebAssembly\n        use another\n\nTrimtab does not work here: see ✗ above.\n')
  })
})

describe('checkCgroups', () => {
  it.each([
    ['nothing', {}, [], 'absent', /no cgroup file system/],
    [
      'a writable v2 hierarchy',
      {
        '/proc/self/mounts': 'cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n',
        '/sys/fs/cgroup/cgroup.controllers': 'cpuset cpu io memory pids\n',
      },
      ['/sys/fs/cgroup'],
      'ok',
      /^v2 with cpuset, cpu, io, memory, pids$/,
    ],
    [
      'a v2 hierarchy of a container',
      {
        '/proc/self/mounts': 'cgroup /sys/fs/cgroup cgroup2 ro 0 0\n',
        '/sys/fs/cgroup/cgroup.controllers': 'cpu memory\n',
      },
      ['/sys/fs/cgroup'],
      'absent',
      /read-only/,
    ],
    [
      'v1 beside an empty v2',
      {
        '/proc/self/mounts':
          'cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,nosuid,cpu,cpuacct 0 0\ncgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n',
        '/sys/fs/cgroup/unified/cgroup.controllers': '\n',
      },
      ['/sys/fs/cgroup/cpu,cpuacct', '/sys/fs/cgroup/memory'],
      'ok',
      /^v2 with no controllers \(read-only\); v1 with cpu, cpuacct, memory$/,
    ],
  ] as const)('reads %s', async (_, files, writable, state, found) => {
    const check = await checkCgroups(filesOf(files, writable))
    expect(check.state).toBe(state)
    expect(check.found).toMatch(found)
  })
})

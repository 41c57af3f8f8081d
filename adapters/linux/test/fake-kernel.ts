// A kernel that this machine may not have: folders with the files of cgroup version 2 and of resctrl, which answer as the kernel's
// documentation says (cgroup-v2.rst, filesystems/resctrl.rst): what a new group holds, what a write makes of a text, what is refused.
// It enforces nothing, and nobody has compared it with a real one.
import { AdapterError } from '@trimtab/core'
import type { KernelFiles, Machine } from '../src/index.js'

/** What a write makes of a file; `undefined`: refused as invalid. */
type Answer = (text: string, before: string) => string | undefined

const GROUP_FILES: Readonly<Record<string, readonly [first: string, answer: Answer]>> = {
  'cgroup.procs': ['', (pid, before) => [before, pid].filter(Boolean).join('\n')],
  'cgroup.subtree_control': ['', switches],
  'cpu.max': ['max 100000', quota],
  'cpu.weight': ['100', (text) => (Number(text) >= 1 && Number(text) <= 10_000 ? text : undefined)],
  'cpuset.cpus': ['', (text) => (/^[\d,-]*\n?$/.test(text) ? text.trim() : undefined)],
  'memory.max': ['max', pages],
  'memory.high': ['max', pages],
  'io.max': ['', throttles],
  'cpu.stat': ['usage_usec 5000\nnr_periods 10\nnr_throttled 3\nthrottled_usec 700', () => undefined],
  'memory.current': ['4096', () => undefined],
  'memory.events': ['low 0\nhigh 2\nmax 7\noom 1\noom_kill 1', () => undefined],
  'io.stat': [
    '8:16 rbytes=100 wbytes=200 rios=1 wios=2 dbytes=0 dios=0\n254:0 rbytes=1 wbytes=2 rios=1 wios=1',
    () => undefined,
  ],
  'cpu.pressure': [
    'some avg10=1.50 avg60=0.00 avg300=0.00 total=1234\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0',
    () => undefined,
  ],
}

/** `+cpu -io`: names come and go. */
function switches(text: string, before: string): string {
  const names = new Set(before.split(' ').filter(Boolean))
  for (const one of text.split(' ')) one.startsWith('+') ? names.add(one.slice(1)) : names.delete(one.slice(1))
  return [...names].join(' ')
}

/** "$MAX $PERIOD"; a quota alone leaves the period. */
function quota(text: string, before: string): string | undefined {
  const [max, period = before.split(' ')[1]] = text.split(' ')
  if (max === 'max') return `max ${period}`
  return Number(max) >= 1000 && Number(period) >= 1000 && Number(period) <= 1_000_000 ? `${max} ${period}` : undefined
}

function pages(text: string): string | undefined {
  if (text === 'max') return text
  return /^\d+$/.test(text) ? `${Math.floor(Number(text) / 4096) * 4096}` : undefined
}

/** Lines by device; what is not named stays, and a line without any limit goes. */
function throttles(text: string, before: string): string | undefined {
  const [device, ...fields] = text.split(' ')
  if (!/^\d+:\d+$/.test(device!) || fields.length === 0) return undefined
  const lines = new Map(
    before
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.split(' ')[0]!, line]),
  )
  const values = new Map(['rbps', 'wbps', 'riops', 'wiops'].map((key) => [key, 'max']))
  for (const field of [...(lines.get(device!)?.split(' ').slice(1) ?? []), ...fields]) {
    const [key, value] = field.split('=')
    if (!values.has(key!) || !/^(max|\d+)$/.test(value!)) return undefined
    values.set(key!, value!)
  }
  lines.delete(device!)
  if ([...values.values()].some((value) => value !== 'max'))
    lines.set(device!, `${device} ${[...values].map(([key, value]) => `${key}=${value}`).join(' ')}`)
  return [...lines.values()].join('\n')
}

const WAYS = 11

/** A line a resource; every domain of it, with a run of bits, or a share that is rounded up to steps of ten. */
function schemata(text: string, before: string): string | undefined {
  const [, resource, fields] = /^(L3|MB):(.*)\n$/.exec(text) ?? []
  if (resource === undefined) return undefined
  const values = fields!.split(';').map((field) => field.split('=') as [string, string])
  for (const value of values) {
    if (resource === 'MB') value[1] = `${Math.ceil(Number(value[1]) / 10) * 10}`
    const isRun = /^0*1+0*$/.test(Number.parseInt(value[1], 16).toString(2))
    const fits = resource === 'L3' ? isRun && Number.parseInt(value[1], 16) < 2 ** WAYS : Number(value[1]) <= 100
    if (!fits) return undefined
  }
  const line = `${resource.padStart(6)}:${values.map(([domain, value]) => `${domain}=${value}`).join(';')}`
  return before
    .split('\n')
    .map((one) => (one.trim().startsWith(`${resource}:`) ? line : one))
    .join('\n')
}

const CACHE_FILES: Readonly<Record<string, readonly [string, Answer]>> = {
  tasks: ['', (pid, before) => [before, pid].filter(Boolean).join('\n')],
  schemata: ['    L3:0=7ff;1=7ff\n    MB:0=100;1=100', schemata],
  'mon_data/mon_L3_00/llc_occupancy': ['1000', () => undefined],
  'mon_data/mon_L3_00/mbm_total_bytes': ['50', () => undefined],
  'mon_data/mon_L3_01/llc_occupancy': ['24', () => undefined],
  'mon_data/mon_L3_01/mbm_total_bytes': ['Unavailable', () => undefined],
}

export class FakeKernel implements KernelFiles {
  /** Every file by path, as it reads. */
  readonly texts = new Map<string, string>()
  readonly #answers = new Map<string, Answer>()
  readonly #folders = new Set<string>()
  /** Every write and folder, in order. */
  readonly log: string[] = []
  /** Paths that refuse from now on, as a mount that became read-only. */
  readonly readOnly = new Set<string>()

  constructor() {
    this.#add('/cgroup', {
      'cgroup.controllers': ['cpuset cpu io memory hugetlb pids', () => undefined],
      ...GROUP_FILES,
    })
    this.#add('/resctrl', {
      'info/L3/cbm_mask': ['7ff', () => undefined],
      'info/L3/min_cbm_bits': ['1', () => undefined],
      'info/L3/num_closids': ['16', () => undefined],
      'info/MB/min_bandwidth': ['10', () => undefined],
      'info/MB/bandwidth_gran': ['10', () => undefined],
      'info/MB/num_closids': ['8', () => undefined],
      ...CACHE_FILES,
    })
    for (const [path, text] of Object.entries({
      '/sys/devices/system/cpu/online': '0-3',
      '/sys/block/sdb/dev': '8:16',
      '/proc/meminfo': 'MemTotal:        1048576 kB\nMemFree: 1 kB',
    }))
      this.texts.set(path, text)
  }

  get machine(): Machine {
    return { files: this, cgroup: '/cgroup', resctrl: '/resctrl', proc: '/proc', sys: '/sys' }
  }

  #add(folder: string, files: Readonly<Record<string, readonly [string, Answer]>>): void {
    this.#folders.add(folder)
    for (const [name, [first, answer]] of Object.entries(files)) {
      this.texts.set(`${folder}/${name}`, first)
      this.#answers.set(`${folder}/${name}`, answer)
    }
  }

  read = (path: string): string | undefined => this.texts.get(path)

  write(path: string, text: string): void {
    const before = this.texts.get(path)
    if (before === undefined) throw new AdapterError('linux_gone', `${path}: ENOENT`)
    if (this.readOnly.has(path)) throw new AdapterError('linux_forbidden', `${path}: EROFS`)
    const now = this.#answers.get(path)?.(text, before)
    if (now === undefined) throw new AdapterError('linux_refused', `${path}: EINVAL ${text}`)
    if (path.endsWith('/cgroup.procs') || path.endsWith('/tasks')) this.#leaveOthers(path, text)
    this.texts.set(path, now)
    this.log.push(`${path} ${text.trim()}`)
  }

  /** A process is in one group. */
  #leaveOthers(path: string, pid: string): void {
    const name = path.slice(path.lastIndexOf('/'))
    for (const [other, text] of this.texts)
      if (other.endsWith(name))
        this.texts.set(
          other,
          text
            .split('\n')
            .filter((one) => one !== pid)
            .join('\n'),
        )
  }

  makeFolder(path: string): void {
    const isCache = path.startsWith('/resctrl')
    const above = this.texts.get(`${path.slice(0, path.lastIndexOf('/'))}/cgroup.subtree_control`) ?? ''
    const isHere = (file: string) =>
      isCache || file.startsWith('cgroup.') || above.split(' ').includes(file.split('.')[0]!)
    this.#add(
      path,
      Object.fromEntries(Object.entries(isCache ? CACHE_FILES : GROUP_FILES).filter(([file]) => isHere(file))),
    )
    this.log.push(`mkdir ${path}`)
  }

  removeFolder(path: string): void {
    if (!this.#folders.delete(path)) throw new AdapterError('linux_gone', `${path}: ENOENT`)
    if (this.texts.get(`${path}/cgroup.procs`)) throw new AdapterError('linux_refused', `${path}: EBUSY`)
    for (const file of [...this.texts.keys()]) if (file.startsWith(`${path}/`)) this.texts.delete(file)
    this.log.push(`rmdir ${path}`)
  }

  list(path: string): string[] {
    const inside = [...this.texts.keys()].filter((file) => file.startsWith(`${path}/`))
    return [...new Set(inside.map((file) => file.slice(path.length + 1).split('/')[0]!))]
  }

  isWritable = (path: string): boolean => this.texts.has(path) && !this.readOnly.has(path)
}

// Ways of the last-level cache (CAT) and share of memory bandwidth (MBA). Source: the kernel's filesystems/resctrl.rst.
import { AdapterError, Problems } from '@trimtab/core'
import { startTimeOf } from '@trimtab/node/files'
import type { Changes } from './changes.js'
import type { Fitted } from './fit.js'
import type { KernelFiles } from './kernel-files.js'

/** What is left out stays as it is. */
export interface CacheLimits {
  /** Of every cache of the last level; away from those of the other groups of this node while there are enough. */
  readonly cacheWays?: number
  /** Of each socket's bandwidth, in steps of the processor. */
  readonly memoryBandwidthPercent?: number
}

/** NaN: the processor does not count it. */
export interface CacheUsage {
  readonly cacheBytes: number
  /** Since the group began. */
  readonly memoryBytes: number
}

/** What became of limits: what the kernel says is in force, and what the processor could not give. */
export interface CacheLimitsSet extends Omit<Fitted, 'limits'> {
  readonly inForce: CacheLimits
}

type Resource = 'L3' | 'MB'

/** What the processor can be told. A resource that it lacks is left out. */
export interface CacheInventory {
  readonly L3?: { readonly ways: number; readonly leastWays: number }
  readonly MB?: { readonly leastPercent: number; readonly stepPercent: number }
  /** Groups that there can be, the default one included. */
  readonly groups: number
}

/** @returns undefined where resctrl is not mounted */
export function readCacheInventory(files: KernelFiles, root: string): CacheInventory | undefined {
  if (files.read(`${root}/schemata`) === undefined) return undefined
  const number = (path: string) => Number(files.read(`${root}/info/${path}`) ?? Number.NaN)
  const mask = files.read(`${root}/info/L3/cbm_mask`)
  const groups = [number('L3/num_closids'), number('MB/num_closids')].filter((count) => count > 0)
  return {
    ...(mask !== undefined && { L3: { ways: bitsOf(mask), leastWays: number('L3/min_cbm_bits') } }),
    ...(files.read(`${root}/info/MB/min_bandwidth`) !== undefined && {
      MB: { leastPercent: number('MB/min_bandwidth'), stepPercent: number('MB/bandwidth_gran') },
    }),
    groups: groups.length > 0 ? Math.min(...groups) : 0,
  }
}

const bitsOf = (hex: string): number => Number.parseInt(hex, 16).toString(2).replaceAll('0', '').length

/** Of a line `L3:0=7ff;1=7ff` the values by domain, as texts. */
function domainsOf(schemata: string | undefined, resource: Resource): ReadonlyMap<string, string> {
  const line = schemata?.split('\n').find((one) => one.trim().startsWith(`${resource}:`))
  const fields =
    line
      ?.trim()
      .slice(resource.length + 1)
      .split(';') ?? []
  return new Map(fields.map((field) => field.split('=').map((part) => part.trim()) as [string, string]))
}

/** A resctrl group: made at its first use, removed when all is undone, which sends its tasks back to the default group. */
export class CacheGroup {
  readonly name: string
  readonly #root: string
  readonly #proc: string
  readonly #changes: Changes
  readonly #inventory: CacheInventory

  /** @throws {AdapterError} `linux_unsupported`: not mounted; as `KernelFiles` says: as many groups as there can be */
  constructor(
    name: string,
    { root, proc, changes }: { readonly root: string; readonly proc: string; readonly changes: Changes },
  ) {
    const inventory = readCacheInventory(changes.files, root)
    if (!inventory)
      throw new AdapterError(
        'linux_unsupported',
        `no resctrl at ${root}: mount -t resctrl resctrl ${root}, if /proc/cpuinfo has rdt_a`,
      )
    this.name = name
    this.#root = root
    this.#proc = proc
    this.#changes = changes
    this.#inventory = inventory
    if (changes.files.read(`${this.#path}/schemata`) !== undefined) return
    changes.make({ kind: 'group', path: this.#path, tasks: 'tasks' }, () => changes.files.makeFolder(this.#path))
  }

  get #path(): string {
    return `${this.#root}/${this.name}`
  }

  /** Moves a process with all its threads here. @throws {AdapterError} `linux_gone` */
  join(pid: number): void {
    const { files } = this.#changes
    const startTime = startTimeOf(pid)
    const threads = files.list(`${this.#proc}/${pid}/task`)
    if (startTime === undefined || threads.length === 0)
      throw new AdapterError('linux_gone', `there is no process ${pid}`)
    this.#changes.make({ kind: 'process', pid, startTime, hierarchy: this.#root, home: `${this.#root}/tasks` }, () => {
      for (const thread of threads) files.write(`${this.#path}/tasks`, thread)
    })
  }

  /**
   * More ways or bandwidth than there is becomes scale-out, less than the processor can hold scale-in.
   *
   * @throws {ConfigError} `config_invalid`
   * @throws {AdapterError} `linux_unsupported`: the processor has no such thing; `linux_not_honoured`; as `KernelFiles` says
   */
  set({ cacheWays, memoryBandwidthPercent }: CacheLimits): CacheLimitsSet {
    const problems = new Problems()
    const isAmount = (value: number | undefined) => value === undefined || (value > 0 && Number.isFinite(value))
    problems.check(isAmount(cacheWays), `cacheWays must be a number > 0, got ${cacheWays}`)
    problems.check(
      isAmount(memoryBandwidthPercent),
      `memoryBandwidthPercent must be a number > 0, got ${memoryBandwidthPercent}`,
    )
    problems.throwIfAny('limits')
    const { L3, MB } = this.#inventory
    if (cacheWays !== undefined && !L3) throw lacking('cacheWays', 'cache allocation (CAT)')
    if (memoryBandwidthPercent !== undefined && !MB)
      throw lacking('memoryBandwidthPercent', 'bandwidth allocation (MBA)')
    const scales: ('out' | 'in')[] = []
    const reasons: string[] = []
    const note = (scale: 'out' | 'in', reason: string) => {
      scales.push(scale)
      reasons.push(`${reason}: scale ${scale}`)
    }
    if (L3 && cacheWays !== undefined) {
      const wanted = Math.round(cacheWays)
      if (wanted < L3.leastWays) note('in', `cacheWays: ${wanted} wanted, fewer than ${L3.leastWays}`)
      const run = this.#freeRun(Math.max(L3.leastWays, wanted), L3)
      if (run.length < wanted) note('out', `cacheWays: ${wanted} wanted, ${run.length} of ${L3.ways} left`)
      this.#write('L3', run.mask.toString(16), (value) => Number.parseInt(value, 16) === run.mask)
    }
    if (MB && memoryBandwidthPercent !== undefined) {
      const { leastPercent, stepPercent } = MB
      if (memoryBandwidthPercent < leastPercent)
        note('in', `memoryBandwidthPercent: ${memoryBandwidthPercent} wanted, less than ${leastPercent}`)
      if (memoryBandwidthPercent > 100) note('out', `memoryBandwidthPercent: ${memoryBandwidthPercent} of 100 wanted`)
      const steps = Math.ceil(memoryBandwidthPercent / stepPercent) * stepPercent // as the kernel rounds
      const percent = Math.min(100, Math.max(leastPercent, steps))
      this.#write('MB', `${percent}`, (value) => Number(value) === percent)
    }
    const scale = scales.includes('out') ? 'out' : scales.includes('in') ? 'in' : 'none'
    return { inForce: this.limits, scale, reasons }
  }

  /** `count` ways beside each other that no other group of this node has, from the top; as many as there are; the least where there is none. */
  #freeRun(count: number, { ways, leastWays }: NonNullable<CacheInventory['L3']>): { mask: number; length: number } {
    const taken = this.#takenWays()
    let best = { from: 0, length: 0 }
    for (let end = ways; end > 0; end--) {
      let from = end
      while (from > 0 && end - from < count && !taken.has(from - 1)) from--
      if (end - from > best.length) best = { from, length: end - from }
    }
    const { from, length } = best.length >= leastWays ? best : { from: 0, length: leastWays }
    return { mask: (2 ** length - 1) * 2 ** from, length: best.length >= leastWays ? length : 0 }
  }

  #takenWays(): ReadonlySet<number> {
    const { files } = this.#changes
    const others = files.list(this.#root).filter((name) => name.startsWith('trimtab-') && name !== this.name)
    const masks = others.flatMap((name) => [...domainsOf(files.read(`${this.#root}/${name}/schemata`), 'L3').values()])
    const everything = 2 ** this.#ways - 1
    const held = masks.map((mask) => Number.parseInt(mask, 16)).filter((mask) => mask !== everything) // a new group has all
    return new Set(
      Array.from({ length: this.#ways }, (_, way) => way).filter((way) =>
        held.some((mask) => Math.floor(mask / 2 ** way) % 2 === 1),
      ),
    )
  }

  get #ways(): number {
    return this.#inventory.L3?.ways ?? 0
  }

  #write(resource: Resource, value: string, holds: (now: string) => boolean): void {
    const { files } = this.#changes
    const path = `${this.#path}/schemata`
    const textOf = (values: ReadonlyMap<string, string>) =>
      `${resource}:${[...values].map(([domain, one]) => `${domain}=${one}`).join(';')}\n`
    const before = domainsOf(files.read(path), resource)
    const text = textOf(new Map([...before.keys()].map((domain) => [domain, value])))
    this.#changes.make({ kind: 'file', path, subject: resource, undo: textOf(before) }, () => files.write(path, text))
    const now = [...domainsOf(files.read(path), resource).values()]
    if (now.length > 0 && now.every(holds)) return
    files.write(path, textOf(before))
    throw new AdapterError('linux_not_honoured', `${path} says ${resource} ${now.join(';')} after ${text.trim()}`)
  }

  /** In force now, of the first domain. */
  get limits(): CacheLimits {
    const schemata = this.#changes.files.read(`${this.#path}/schemata`)
    const [mask] = domainsOf(schemata, 'L3').values()
    const [percent] = domainsOf(schemata, 'MB').values()
    return {
      ...(mask !== undefined && { cacheWays: bitsOf(mask) }),
      ...(percent !== undefined && { memoryBandwidthPercent: Number(percent) }),
    }
  }

  /** Over all domains. */
  get usage(): CacheUsage {
    const { files } = this.#changes
    const folder = `${this.#path}/mon_data`
    const domains = files.list(folder)
    const sum = (file: string) =>
      domains.length === 0
        ? Number.NaN
        : domains.reduce((total, domain) => total + Number(files.read(`${folder}/${domain}/${file}`) ?? Number.NaN), 0)
    return { cacheBytes: sum('llc_occupancy'), memoryBytes: sum('mbm_total_bytes') } // `Unavailable` is NaN too
  }
}

const lacking = (limit: string, what: string) =>
  new AdapterError('linux_unsupported', `${limit} needs ${what}, which this processor, or its resctrl, has not`)

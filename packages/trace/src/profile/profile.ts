import { type Bytes, ConfigError } from '@trimtab/core'
import type { CriticalPath } from '../path/types.js'
import type { Edge } from '../types.js'
import { type DiffSide, diffTables, type ProfileDiff } from './diff.js'
import { Distribution } from './distribution.js'
import type { KeyedCells } from './keyed-cells.js'
import { NameOrder, ranks } from './name-order.js'
import { PairTable } from './pair-table.js'
import { loadProfile, saveProfile } from './profile-file.js'
import { ProfileTables } from './profile-tables.js'
import {
  CallPathProfile,
  EdgeProfile,
  type EndpointProfile,
  InstanceProfile,
  type ProfileCell,
  ServiceProfile,
} from './profile-views.js'
import { ProfileWindow } from './profile-window.js'
import { type Slice, type SliceOptions, sliceTables } from './slice.js'

/**
 * Where the latency of many requests went, by call path, edge, service and instance.
 *
 * Streaming: memory grows with different call paths, not with traces. Mergeable: all sums are whole numbers, so profiles of
 * the parts of a window merge to exactly the profile of the window, in any order. What `callPaths()` and the like return are
 * views, good until the next `add` or `merge`.
 *
 * @example
 * const profile = new Profile()
 * for await (const trace of readTraces(file)) profile.add(finder.find(trace))
 * for (const { service, share, self } of profile.services()) console.log(service, share, self.quantile(0.99))
 */
export class Profile {
  #tables = new ProfileTables()
  #mode: CriticalPath['mode'] | undefined
  #read: { readonly order: NameOrder; readonly window: ProfileWindow } | undefined

  /** How its paths were found; undefined before the first. */
  get mode(): CriticalPath['mode'] | undefined {
    return this.#mode
  }

  /** How many were added: its requests. */
  get traces(): number {
    const { endpoints } = this.#tables
    let traces = 0
    for (let row = 0; row < endpoints.size; row++) traces += endpoints.latencySums(row).requests
    return traces
  }

  /** @throws {ConfigError} `mode_mismatch`: paths of another mode are in it; nothing was added */
  add(path: CriticalPath): void {
    this.#requireMode(path.mode)
    this.#tables.add(path)
    this.#read = undefined
  }

  /**
   * Adds all of `other`.
   * @throws {ConfigError} `mode_mismatch`: its paths are of another mode; nothing was added
   */
  merge(other: Profile): void {
    if (other.#mode) this.#requireMode(other.#mode)
    this.#tables.merge(other.#tables)
    this.#read = undefined
  }

  /** All requests together. */
  get latency(): Distribution {
    const { endpoints } = this.#tables
    const rows = [...this.#reading().window.endpoints]
    const sum = (of: 'sum' | 'squares'): bigint => rows.reduce((all, row) => all + endpoints.latencySums(row)[of], 0n)
    const longest = rows.reduce((most, row) => Math.max(most, endpoints.longestNs(row)), 0)
    return new Distribution(this.traces, sum('sum'), sum('squares'), () => endpoints.latencies.read(rows), longest)
  }

  /** Most requests first, then by name. */
  endpoints(): EndpointProfile[] {
    const { endpoints, paths } = this.#tables
    const profiles = Array.from(this.#reading().window.endpoints, (row): EndpointProfile => {
      const path = endpoints.paths.first(row)
      const { requests, sum, squares } = endpoints.latencySums(row)
      return {
        service: paths.names.text(paths.service(path)),
        operation: paths.names.text(paths.operation(path)),
        requests,
        errors: endpoints.errors(row),
        latency: new Distribution(
          requests,
          sum,
          squares,
          () => endpoints.latencies.read([row]),
          endpoints.longestNs(row),
        ),
        slowest: [...endpoints.slowest[row]!],
        near: (q) => endpoints.near(row, q),
      }
    })
    return profiles.sort((a, b) => b.requests - a.requests)
  }

  /** Their work; the time between them is that of `edges`. Most time on the path first, then by name. */
  services(): ServiceProfile[] {
    const { services, paths } = this.#tables
    const { order, window } = this.#reading()
    return this.#grouped(
      services,
      order.ofKeys(services.keys, order.pathRank),
      (cell) => services.keys.second(cell),
      (service, _, cells) =>
        new ServiceProfile(paths.names.text(service), window, services.cells, cells, (cell) =>
          services.keys.first(cell),
        ),
    )
  }

  /** Each with the ways to it, so that they share all time. Most time on the path first, then by name. */
  instances(): InstanceProfile[] {
    const { services, instances, paths } = this.#tables
    return this.#groupedByService(instances, (service, instance, cells) => {
      const names = [paths.names.text(service), paths.names.text(instance)] as const
      return new InstanceProfile(...names, this.#reading().window, instances.cells, cells, (cell) =>
        services.keys.first(instances.keys.first(cell)),
      )
    })
  }

  /** The ways between services; with `services` they share all time. Most time on the path first, then by name. */
  edges(): EdgeProfile[] {
    const { services, edges, paths } = this.#tables
    const edgesOf = (kind: Edge['kind']): EdgeProfile[] =>
      this.#groupedByService(edges[kind], (caller, callee, cells) => {
        const edge = { caller: paths.names.text(caller), callee: paths.names.text(callee), kind }
        return new EdgeProfile(edge, this.#reading().window, edges[kind].cells, cells, (cell) =>
          services.keys.first(edges[kind].keys.first(cell)),
        )
      })
    return weightiestFirst([...edgesOf('call'), ...edgesOf('queue')])
  }

  /** Most time on the path first, then by name. */
  callPaths(): CallPathProfile[] {
    const { paths } = this.#tables
    const { order } = this.#reading()
    const profiles: CallPathProfile[] = []
    for (const path of order.paths) if (!paths.isMarker(path)) profiles.push(this.#callPath(path))
    return weightiestFirst(profiles)
  }

  /**
   * What the path looks like in the requests between two quantiles of latency: the tail beside the middle.
   * @throws {ConfigError} `config_invalid`
   */
  slice(options: SliceOptions): Slice {
    return sliceTables(this.#tables, this.#reading().order, (path) => this.#callPath(path), options)
  }

  /** What changed since `before`, another window of the same system. See `diffProfiles`. */
  since(before: Profile): ProfileDiff {
    return diffTables(before.#diffSide(), this.#diffSide())
  }

  /** Everything, in one block: equal profiles are equal bytes, whatever the order in which their traces came. */
  save(): Uint8Array {
    return saveProfile({ mode: this.#mode, tables: this.#tables })
  }

  /** @throws {FormatError} `file_foreign` (something else), `file_version` (of another version), `file_damaged` */
  static load(bytes: Bytes): Profile {
    const { mode, tables } = loadProfile(bytes)
    const profile = new Profile()
    profile.#mode = mode
    profile.#tables = tables
    return profile
  }

  #diffSide(): DiffSide {
    return { tables: this.#tables, services: this.services(), edges: this.edges() }
  }

  #callPath(path: number): CallPathProfile {
    const tables = this.#tables
    return new CallPathProfile(tables, path, this.#reading().window, tables.callPathCells, [path], () =>
      tables.paths.root(path),
    )
  }

  /** Cells of services' cells by the service's name and their own. */
  #groupedByService<C extends ProfileCell>(
    keyed: KeyedCells,
    make: (service: number, name: number, cells: readonly number[]) => C,
  ): C[] {
    const { services } = this.#tables
    const { order } = this.#reading()
    const cells = order.ofKeys(keyed.keys, ranks(order.ofKeys(services.keys, order.pathRank)))
    return this.#grouped(keyed, cells, (cell) => services.keys.second(keyed.keys.first(cell)), make)
  }

  /** Cells by a first name and that of their key, each group in the given order, which is that of its endpoints' names. */
  #grouped<C extends ProfileCell>(
    { keys }: KeyedCells,
    cells: Int32Array,
    firstName: (cell: number) => number,
    make: (first: number, second: number, cells: readonly number[]) => C,
  ): C[] {
    const { nameRank } = this.#reading().order
    const groups = new PairTable()
    const members: number[][] = []
    for (const cell of cells) {
      const group = groups.number(firstName(cell), keys.second(cell))
      members[group] ??= []
      members[group].push(cell)
    }
    const order = members
      .map((_, group) => group)
      .sort(
        (a, b) =>
          nameRank[groups.first(a)]! - nameRank[groups.first(b)]! ||
          nameRank[groups.second(a)]! - nameRank[groups.second(b)]!,
      )
    return weightiestFirst(order.map((group) => make(groups.first(group), groups.second(group), members[group]!)))
  }

  #reading(): { readonly order: NameOrder; readonly window: ProfileWindow } {
    if (!this.#read) {
      const order = new NameOrder(this.#tables.paths)
      this.#read = { order, window: new ProfileWindow(this.#tables, order.pathRank) }
    }
    return this.#read
  }

  #requireMode(mode: CriticalPath['mode']): void {
    if (this.#mode && this.#mode !== mode) {
      throw new ConfigError(
        'mode_mismatch',
        `this profile holds paths of mode ${this.#mode}, got one of mode ${mode}: keep a profile for each mode`,
      )
    }
    this.#mode = mode
  }
}

/** Most time on the path first; equals stay in order. */
function weightiestFirst<C extends ProfileCell>(profiles: C[]): C[] {
  return profiles.sort((a, b) => b.selfNs - a.selfNs)
}

/**
 * What changed from one window to another: which endpoints, services, edges and call paths grew, by how much, and how sure that
 * is. Means are exact; what is judged, is judged by a rank test and by p50 and p99.
 * @example
 * const { callPaths } = diffProfiles(yesterday, today)
 * for (const { frames, addedNs, z } of callPaths) if (z > 4) console.log(frames.at(-1), addedNs)
 */
export function diffProfiles(before: Profile, after: Profile): ProfileDiff {
  return after.since(before)
}

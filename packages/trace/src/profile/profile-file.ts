import type { Bytes } from '@trimtab/core'
import type { CriticalPath } from '../path/types.js'
import { loadCallPaths, saveCallPaths } from './call-paths-file.js'
import { type ColumnFile, readColumnFile, writeColumnFile } from './column-file.js'
import { NameOrder, ranks } from './name-order.js'
import type { PairTable } from './pair-table.js'
import { ProfileTables } from './profile-tables.js'

const KIND = 'profile'
const VERSION = 1
const MODES: readonly CriticalPath['mode'][] = ['blocking', 'to-trace-end', 'firm']

/** What a profile is made of. */
export interface ProfileContents {
  readonly mode: CriticalPath['mode'] | undefined
  readonly tables: ProfileTables
}

/** The bytes of a profile: equal contents are equal bytes, whatever the order in which they came. */
export function saveProfile({ mode, tables }: ProfileContents): Uint8Array {
  const { paths, endpoints, services, edges, instances } = tables
  const order = new NameOrder(paths)
  const endpointOrder = Int32Array.from({ length: endpoints.size }, (_, row) => row).sort(
    (a, b) => order.pathRank[endpoints.paths.first(a)]! - order.pathRank[endpoints.paths.first(b)]!,
  )
  const serviceOrder = order.ofKeys(services, order.pathRank)
  const serviceRank = ranks(serviceOrder)
  const edgeOrder = order.ofKeys(edges, serviceRank)
  const instanceOrder = order.ofKeys(instances, serviceRank)
  const keys = (
    name: string,
    table: PairTable,
    keyOrder: Int32Array,
    firstRank: Int32Array,
  ): ColumnFile['columns'] => ({
    [`${name}.first`]: Int32Array.from(keyOrder, (key) => firstRank[table.first(key)]!),
    [`${name}.name`]: Int32Array.from(keyOrder, (key) => order.nameRank[table.second(key)]!),
  })
  const parts: ColumnFile[] = [
    saveCallPaths(paths, order),
    tables.callPathCells.save('paths', order.paths),
    tables.serviceCells.save('services', serviceOrder),
    tables.edgeCells.save('edges', edgeOrder),
    tables.instanceCells.save('instances', instanceOrder),
    endpoints.save(endpointOrder),
  ]
  return writeColumnFile(KIND, VERSION, {
    meta: Object.assign({ mode: mode ?? null }, ...parts.map(({ meta }) => meta)),
    columns: Object.assign(
      {
        'endpoints.path': Int32Array.from(endpointOrder, (row) => order.pathRank[endpoints.paths.first(row)]!),
        ...keys('services', services, serviceOrder, order.pathRank),
        ...keys('edges', edges, edgeOrder, serviceRank),
        ...keys('instances', instances, instanceOrder, serviceRank),
        ...tables.bands.save(order.pathRank),
      },
      ...parts.map(({ columns }) => columns),
    ),
  })
}

/** @throws {FormatError} `file_foreign`, `file_version`, `file_damaged` */
export function loadProfile(bytes: Bytes): ProfileContents {
  const reader = readColumnFile(KIND, VERSION, bytes)
  const tables = new ProfileTables()
  const { paths, endpoints, services, edges, instances } = tables
  const mode = MODES.find((known) => known === reader.meta.mode)

  const own = loadCallPaths(paths, reader)
  const { size } = paths
  for (const path of reader.integers('endpoints.path', undefined, 0, size)) endpoints.endpoint(path)
  const keys = (name: string, table: PairTable, firsts: number): void => {
    const first = reader.integers(`${name}.first`, undefined, 0, firsts)
    const second = reader.integers(`${name}.name`, first.length, 0, own.length)
    for (let key = 0; key < first.length; key++) table.number(first[key]!, own[second[key]!]!)
    if (table.size !== first.length) throw reader.damaged(`its ${name} name one twice`)
  }
  keys('services', services, size)
  keys('edges', edges, services.size)
  keys('instances', instances, services.size)
  tables.reserve()

  tables.callPathCells.load('paths', reader)
  tables.serviceCells.load('services', reader)
  tables.edgeCells.load('edges', reader)
  tables.instanceCells.load('instances', reader)
  endpoints.load(reader)
  tables.bands.load(size, reader)
  return { mode, tables }
}

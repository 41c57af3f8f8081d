import type { Bytes } from '@trimtab/core'
import type { CriticalPath } from '../path/types.js'
import { loadCallPaths, saveCallPaths } from './call-paths-file.js'
import { type ColumnFile, readColumnFile, writeColumnFile } from './column-file.js'
import { NameOrder, ranks } from './name-order.js'
import { ProfileTables } from './profile-tables.js'

const KIND = 'profile'
const VERSION = 3 // 1 had the time between two services with the caller, 2 had none of it in instances
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
  const serviceOrder = order.ofKeys(services.keys, order.pathRank)
  const serviceRank = ranks(serviceOrder)
  const ofServices = (prefix: string, keyed: ProfileTables['services']): ColumnFile =>
    keyed.save(prefix, order.ofKeys(keyed.keys, serviceRank), serviceRank, order)
  const parts: ColumnFile[] = [
    saveCallPaths(paths, order),
    tables.callPathCells.save('paths', order.paths),
    services.save('services', serviceOrder, order.pathRank, order),
    ofServices('calls', edges.call),
    ofServices('queues', edges.queue),
    ofServices('instances', instances),
    endpoints.save(endpointOrder),
  ]
  return writeColumnFile(KIND, VERSION, {
    meta: Object.assign({ mode: mode ?? null }, ...parts.map(({ meta }) => meta)),
    columns: Object.assign(
      {
        'endpoints.path': Int32Array.from(endpointOrder, (row) => order.pathRank[endpoints.paths.first(row)]!),
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

  const names = loadCallPaths(paths, reader)
  const { size } = paths
  for (const path of reader.integers('endpoints.path', undefined, 0, size)) endpoints.endpoint(path)
  services.load('services', size, names, reader)
  edges.call.load('calls', services.size, names, reader)
  edges.queue.load('queues', services.size, names, reader)
  instances.load('instances', services.size, names, reader)
  tables.reserve()

  tables.callPathCells.load('paths', reader)
  endpoints.load(reader)
  tables.bands.load(size, reader)
  return { mode, tables }
}

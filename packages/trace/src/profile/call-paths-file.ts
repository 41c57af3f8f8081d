import { type CallPaths, NO_PATH } from './call-paths.js'
import type { ColumnFile, ColumnReader } from './column-file.js'
import { type NameOrder, ranks } from './name-order.js'

/** All names and call paths, in order of the names. */
export function saveCallPaths(paths: CallPaths, order: NameOrder): ColumnFile {
  const rank = (number: number): number => (number < 0 ? -1 : order.nameRank[number]!)
  return {
    meta: { names: Array.from(ranks(order.nameRank), (name) => paths.names.text(name)) },
    columns: {
      'paths.parent': Int32Array.from(order.paths, (path) => {
        const above = paths.parent(path)
        return above === NO_PATH ? NO_PATH : order.pathRank[above]!
      }),
      'paths.service': Int32Array.from(order.paths, (path) => rank(paths.service(path))),
      'paths.operation': Int32Array.from(order.paths, (path) => rank(paths.operation(path))),
    },
  }
}

/**
 * Fills `paths`, which is empty; call paths get the numbers of their order.
 * @returns numbers of the names in the file
 * @throws {FormatError} `file_damaged`
 */
export function loadCallPaths(paths: CallPaths, reader: ColumnReader): number[] {
  const names = reader.strings('names').map((name) => paths.names.number(name))
  const parents = reader.integers('paths.parent', undefined, NO_PATH, Number.POSITIVE_INFINITY)
  const size = parents.length
  const services = reader.integers('paths.service', size, -1, names.length)
  const operations = reader.integers('paths.operation', size, -1, names.length)
  for (let path = 0; path < size; path++) {
    const isMarker = services[path] === -1
    if (parents[path]! >= path) throw reader.damaged(`call path ${path} comes before the one above it`)
    if (isMarker !== (operations[path] === -1)) throw reader.damaged(`call path ${path} is half a frame`)
    if (isMarker && parents[path] === NO_PATH) throw reader.damaged(`call path ${path} is a marker without a root`)
    paths.path(parents[path]!, isMarker ? -1 : names[services[path]!]!, isMarker ? -1 : names[operations[path]!]!)
    if (paths.size !== path + 1) throw reader.damaged(`call path ${path} is there twice`)
  }
  return names
}

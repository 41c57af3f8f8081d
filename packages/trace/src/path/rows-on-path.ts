import type { CriticalPath } from './types.js'

/**
 * The spans on the path as the walk meets them: from the root, latest first, parents before children. A span whose
 * children cover it is on the path although it owns no section.
 */
export function rowsOnPath(path: CriticalPath): Int32Array {
  const { trace, size, root } = path
  const isOn = new Uint8Array(trace.size)
  const rows: number[] = []
  const above: number[] = []
  const visit = (row: number): void => {
    for (let at = row; at >= 0 && isOn[at] === 0; at = at === root ? -1 : trace.parent[at]!) {
      isOn[at] = 1
      above.push(at)
    }
    for (let at = above.pop(); at !== undefined; at = above.pop()) rows.push(at)
  }
  visit(root)
  if (path.mode === 'firm') for (let i = 0; i < size; i++) visit(path.row[i]!)
  else for (let i = size - 1; i >= 0; i--) visit(path.row[i]!)
  return Int32Array.from(rows)
}

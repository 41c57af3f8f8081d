// Objects as a table, as `kubectl get` asks for them.
import type { Column, Kind } from './kinds.js'
import { isFields, type Stored } from './objects.js'

const NAME = { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 }
const AGE: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }

/** `Accept: application/json;as=Table;v=v1;g=meta.k8s.io`. */
export const wantsTable = (accept: string | undefined): boolean => /(^|[,;])\s*as=Table/.test(accept ?? '')

export function toTable(kind: Kind, objects: readonly Stored[], resourceVersion: string, nowMs: number): object {
  const columns = kind.columns.some(({ name }) => name === 'Age') ? kind.columns : [...kind.columns, AGE]
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion },
    columnDefinitions: [
      NAME,
      ...columns.map(({ name, type, priority = 0 }) => ({ name, type, format: '', description: '', priority })),
    ],
    rows: objects.map((object) => ({
      cells: [object.metadata.name, ...columns.map((column) => cell(object, column, nowMs))],
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata },
    })),
  }
}

function cell(object: Stored, { type, jsonPath }: Column, nowMs: number): unknown {
  const value = valueAt(object, jsonPath)
  if (value === undefined || value === null) return type === 'string' || type === 'date' ? '<none>' : null
  if (type === 'date') return age(nowMs - Date.parse(String(value)))
  return type === 'string' ? String(value) : value
}

/** `.status.conditions[?(@.type=="Ready")].status`. */
export function valueAt(object: unknown, jsonPath: string): unknown {
  let value = object
  for (const [, name, field, wanted] of jsonPath.matchAll(/\.([\w-]+)|\[\?\(@\.(\w+)\s*==\s*['"]([^'"]*)['"]\)\]/g)) {
    if (name !== undefined) value = isFields(value) ? value[name] : undefined
    else value = Array.isArray(value) ? value.find((item) => item[field!] === wanted) : undefined
  }
  return value
}

function age(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  if (seconds < 120) return `${seconds}s`
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`
}

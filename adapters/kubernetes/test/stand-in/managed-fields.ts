// Who owns which field (`managedFields`), and server-side apply on it.
import type { ManagedFields } from '../../src/index.js'
import type { StructuralSchema } from '../../src/schema/structural-schema.js'
import type { Kind } from './kinds.js'
import { type Fields, isFields, isSame, type Stored } from './objects.js'
import { LIST_KEYS } from './patch.js'
import { type Cause, conflict } from './status-error.js'

export interface Manager {
  readonly name: string
  readonly subresource: string | undefined
}

/** A path as FieldsV1 writes its steps: `f:spec`, `k:{"name":"web"}`; joined, so that sets of them can be compared. */
type PathSet = Map<string, readonly string[]>

/** What names an object and what the server writes belongs to nobody. */
const NOBODYS = new Set(['apiVersion', 'kind'])
const NOBODYS_META = new Set([
  ...[
    'name',
    'namespace',
    'uid',
    'resourceVersion',
    'generation',
    'creationTimestamp',
    'managedFields',
    'generateName',
  ],
  ...['deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'],
])

/** The leaves of an object, and the items of its keyed lists. */
function pathsOf(kind: Kind, object: Fields): PathSet {
  const paths: PathSet = new Map()
  const add = (path: readonly string[]): void => void paths.set(path.join('\n'), path)
  const visit = (
    value: unknown,
    path: readonly string[],
    schema: StructuralSchema | undefined,
    listName: string,
  ): void => {
    if (isFields(value) && Object.keys(value).length > 0) {
      for (const [name, content] of Object.entries(value)) {
        if (path.length === 0 && NOBODYS.has(name)) continue
        if (path.length === 1 && path[0] === 'f:metadata' && NOBODYS_META.has(name)) continue
        visit(content, [...path, `f:${name}`], schema?.properties?.[name] ?? schema?.additionalProperties, name)
      }
      return
    }
    const keys = Array.isArray(value) ? keysOfList(schema, listName) : undefined
    if (!Array.isArray(value) || keys === undefined || !value.every((item) => isKeyed(item, keys))) {
      add(path)
      return
    }
    for (const item of value) {
      const inItem = [...path, itemStep(item, keys)]
      add([...inItem, '.'])
      visit(item, inItem, schema?.items, '')
    }
  }
  visit(object, [], kind.schema, '')
  return paths
}

const keysOfList = (schema: StructuralSchema | undefined, name: string): readonly string[] | undefined =>
  schema ? schema['x-kubernetes-list-map-keys'] : LIST_KEYS[name]

function itemStep(item: Fields, keys: readonly string[]): string {
  const values = keys.filter((key) => item[key] !== undefined).map((key) => [key, item[key]])
  return `k:${JSON.stringify(Object.fromEntries(values))}`
}

/** Lists of one name are not all alike: `ports` of containers are keyed, those of Services and NetworkPolicies replaced whole. */
const isKeyed = (item: unknown, [key]: readonly string[]): item is Fields => isFields(item) && item[key!] !== undefined

const isItem = (item: unknown, step: string): boolean =>
  isFields(item) && Object.entries(JSON.parse(step.slice(2)) as Fields).every(([key, value]) => item[key] === value)

function valueAt(object: unknown, path: readonly string[]): unknown {
  return path.reduce((value, step) => {
    if (step === '.') return value === undefined ? undefined : true
    if (step.startsWith('k:')) return Array.isArray(value) ? value.find((item) => isItem(item, step)) : undefined
    return isFields(value) ? value[step.slice(2)] : undefined
  }, object)
}

function toFieldsV1(paths: PathSet): Fields {
  const root: Fields = {}
  for (const path of paths.values()) {
    let node = root
    for (const step of path) {
      node[step] ??= {}
      node = node[step] as Fields
    }
  }
  return root
}

function fromFieldsV1(fields: Fields, path: readonly string[] = [], paths: PathSet = new Map()): PathSet {
  const entries = Object.entries(fields)
  if (entries.length === 0 && path.length > 0) paths.set(path.join('\n'), path)
  for (const [step, below] of entries) fromFieldsV1(below as Fields, [...path, step], paths)
  return paths
}

interface Owned {
  readonly entry: Omit<ManagedFields, 'fieldsV1' | 'time'>
  readonly paths: PathSet
  time: string | undefined
}

const readManagers = (object: Stored | undefined): Owned[] =>
  (object?.metadata.managedFields ?? []).map(({ fieldsV1, time, ...entry }) => ({
    entry,
    time,
    paths: fromFieldsV1(fieldsV1 as Fields),
  }))

function withManagers(object: Stored, managers: readonly Owned[]): Stored {
  const managedFields = managers
    .filter(({ paths }) => paths.size > 0)
    .map(({ entry, paths, time }) => ({ ...entry, ...(time && { time }), fieldsV1: toFieldsV1(paths) }))
  return { ...object, metadata: { ...object.metadata, managedFields } }
}

function ownedBy(
  managers: Owned[],
  operation: 'Apply' | 'Update',
  { name, subresource }: Manager,
  apiVersion: string,
): Owned {
  const found = managers.find(
    ({ entry }) => entry.manager === name && entry.operation === operation && entry.subresource === subresource,
  )
  if (found) return found
  const entry = {
    manager: name,
    operation,
    apiVersion,
    fieldsType: 'FieldsV1' as const,
    ...(subresource && { subresource }),
  }
  const created: Owned = { entry, paths: new Map(), time: undefined }
  managers.push(created)
  return created
}

/** What a create, update or patch has changed belongs to its manager from now on. */
export function noteUpdate(
  kind: Kind,
  before: Stored | undefined,
  after: Stored,
  manager: Manager,
  time: string,
): Stored {
  const managers = readManagers(before)
  const own = ownedBy(managers, 'Update', manager, after.apiVersion)
  const now = pathsOf(kind, after)
  for (const [key, path] of now) {
    if (before !== undefined && isSame(valueAt(before, path), valueAt(after, path))) continue
    for (const other of managers) other.paths.delete(key)
    own.paths.set(key, path)
    own.time = time
  }
  for (const { paths } of managers) for (const key of [...paths.keys()]) if (!now.has(key)) paths.delete(key)
  return withManagers(after, managers)
}

/**
 * Server-side apply.
 * @param applied  what the manager wants, and nothing else
 * @throws StatusError 409 with a cause for each field that another manager has set otherwise
 */
export function applyPatch(
  kind: Kind,
  live: Stored | undefined,
  applied: Fields,
  manager: Manager,
  force: boolean,
  time: string,
): Stored {
  const managers = readManagers(live)
  const own = ownedBy(managers, 'Apply', manager, String(applied.apiVersion))
  const wanted = pathsOf(kind, applied)
  const disputed = (owned: Owned): [string, readonly string[]][] =>
    [...wanted].filter(([key, path]) => owned.paths.has(key) && !isSame(valueAt(live, path), valueAt(applied, path)))
  const others = managers.filter((owned) => owned !== own)
  const causes = others.flatMap((owned) => disputed(owned).map(([, path]) => causeOf(owned, path)))
  if (causes.length > 0 && !force) throw conflict(kind, nameOf(applied), messageOf(causes), causes)
  for (const owned of others) for (const [key] of disputed(owned)) owned.paths.delete(key)
  const document = structuredClone(live ?? { ...applied, metadata: { ...(applied.metadata as object) } }) as Stored
  const givenUp = [...own.paths].filter(([key]) => !wanted.has(key) && !others.some(({ paths }) => paths.has(key)))
  const isItself = ([, path]: [string, readonly string[]]): boolean => path.at(-1) === '.'
  for (const [, path] of givenUp.filter(isItself).reverse()) removeAt(document, path) // items whole, while they still have their key
  for (const [, path] of givenUp.filter((one) => !isItself(one)).reverse()) removeAt(document, path)
  for (const path of wanted.values()) setAt(document, path, valueAt(applied, path))
  own.paths.clear()
  for (const [key, path] of wanted) own.paths.set(key, path)
  own.time = time
  return withManagers(document, managers)
}

const nameOf = (object: Fields): string => String((object.metadata as Fields).name)

function causeOf({ entry }: Owned, path: readonly string[]): Cause {
  const shown = (step: string): string =>
    step.startsWith('f:') ? `.${step.slice(2)}` : step === '.' ? '' : `[${step.slice(3, -1).replaceAll('":', '"=')}]`
  const field = path.map(shown).join('')
  const subresource = entry.subresource ? ` with subresource "${entry.subresource}"` : ''
  return {
    reason: 'FieldManagerConflict',
    message: `conflict with "${entry.manager}"${subresource} using ${entry.apiVersion}`,
    field,
  }
}

function messageOf(causes: readonly Cause[]): string {
  const said = causes.map(({ message, field }) => `${message}: ${field}`)
  return `Apply failed with ${causes.length} conflict${causes.length > 1 ? 's' : ''}: ${said.join(', ')}`
}

function setAt(object: Fields, path: readonly string[], value: unknown): void {
  let holder: unknown = object
  path.forEach((step, index) => {
    const next = path[index + 1]
    if (step === '.') return
    if (step.startsWith('k:')) {
      const list = holder as Fields[]
      if (!list.some((candidate) => isItem(candidate, step))) list.push(JSON.parse(step.slice(2)))
      holder = list.find((candidate) => isItem(candidate, step))
      return
    }
    const fields = holder as Fields
    const name = step.slice(2)
    if (next === undefined) fields[name] = structuredClone(value)
    else if (next.startsWith('k:')) fields[name] = Array.isArray(fields[name]) ? fields[name] : []
    else if (!isFields(fields[name])) fields[name] = {}
    holder = fields[name]
  })
}

/** Takes a leaf out, a keyed item with its last owner, and maps that are empty then. */
function removeAt(object: Fields, path: readonly string[]): void {
  const holderPath = path.slice(0, -1)
  const step = path.at(-1)!
  if (step === '.') {
    const list = valueAt(object, path.slice(0, -2))
    const index = Array.isArray(list) ? list.findIndex((item) => isItem(item, path.at(-2)!)) : -1
    if (index >= 0) (list as unknown[]).splice(index, 1)
    if (Array.isArray(list) && list.length === 0) removeAt(object, path.slice(0, -2))
    return
  }
  const holder = valueAt(object, holderPath)
  if (!isFields(holder)) return
  delete holder[step.slice(2)]
  if (Object.keys(holder).length === 0 && holderPath.length > 1 && holderPath.at(-1)!.startsWith('f:'))
    removeAt(object, holderPath)
}

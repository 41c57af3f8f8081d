// The patches of Kubernetes: JSON merge patch (RFC 7386), JSON patch (RFC 6902), strategic merge patch.
import { type Fields, isFields, isSame } from './objects.js'
import { badRequest } from './status-error.js'

export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch
  const merged: Fields = isFields(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else merged[name] = mergePatch(merged[name], value)
  }
  return merged
}

/** Lists whose items have a key, by the name of the list. */
export const LIST_KEYS: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  volumes: ['name'],
  env: ['name'],
  ports: ['containerPort', 'protocol'],
  conditions: ['type'],
  containerStatuses: ['name'],
  ownerReferences: ['uid'],
  webhooks: ['name'],
}

export function strategicMergePatch(target: unknown, patch: unknown, listName = ''): unknown {
  if (Array.isArray(patch)) return mergeLists(Array.isArray(target) ? target : [], patch, listName)
  if (!isFields(patch)) return patch
  const merged: Fields = isFields(target) && patch.$patch !== 'replace' ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (name.startsWith('$')) continue
    if (value === null) delete merged[name]
    else merged[name] = strategicMergePatch(merged[name], value, name)
  }
  return merged
}

function mergeLists(target: readonly unknown[], patch: readonly unknown[], name: string): unknown {
  const [key] = LIST_KEYS[name] ?? []
  if (key === undefined) return patch
  const merged = [...target]
  for (const item of patch as Fields[]) {
    const index = merged.findIndex((candidate) => (candidate as Fields)[key] === item[key])
    if (item.$patch === 'delete') merged.splice(index < 0 ? merged.length : index, 1)
    else if (index < 0) merged.push(item)
    else merged[index] = strategicMergePatch(merged[index], item)
  }
  return merged
}

export function jsonPatch(target: unknown, operations: unknown): unknown {
  if (!Array.isArray(operations)) throw badRequest('a JSON patch is a list of operations')
  const root = { document: structuredClone(target) }
  for (const { op, path, value, from } of operations) {
    if (op === 'test' && !isSame(valueAt(root, path), value)) throw badRequest(`testing value ${path} failed`)
    if (op === 'remove' || op === 'move') remove(root, op === 'move' ? from : path)
    if (op === 'add' || op === 'replace') put(root, path, value, op === 'add')
    if (op === 'copy' || op === 'move')
      put(root, path, valueAt(op === 'copy' ? root : { document: target }, from), true)
  }
  return root.document
}

type Root = { document: unknown }

/** The thing that holds what a pointer names, and its name there. */
function holderOf(root: Root, pointer: string): [holder: Fields | unknown[], name: string] {
  const names = `/document${pointer}`
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const name = names.pop()!
  let holder: unknown = root
  for (const step of names) holder = (holder as Fields | undefined)?.[step]
  if (typeof holder !== 'object' || holder === null) throw badRequest(`the path ${pointer} does not exist`)
  return [holder as Fields, name]
}

function valueAt(root: Root, pointer: string): unknown {
  const [holder, name] = holderOf(root, pointer)
  return (holder as Fields)[name]
}

function remove(root: Root, pointer: string): void {
  const [holder, name] = holderOf(root, pointer)
  if (!(name in holder)) throw badRequest(`remove operation does not apply: ${pointer} does not exist`)
  if (Array.isArray(holder)) holder.splice(Number(name), 1)
  else delete holder[name]
}

function put(root: Root, pointer: string, value: unknown, inserts: boolean): void {
  const [holder, name] = holderOf(root, pointer)
  if (!Array.isArray(holder)) holder[name] = value
  else if (name === '-') holder.push(value)
  else if (inserts) holder.splice(Number(name), 0, value)
  else holder[Number(name)] = value
}

// What a path and a method ask for, in the words of Kubernetes.
import { noSuchPath } from './status-error.js'

export interface Asked {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`. */
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly subresource: string | undefined
  readonly namespace: string | undefined
  readonly name: string | undefined
}

const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' }

/** @throws StatusError 404 for a path of no object */
export function parseRoute(method: string, { pathname, searchParams }: URL): Asked {
  const [root, ...parts] = pathname.split('/').filter(Boolean).map(decodeURIComponent)
  const group = root === 'apis' ? parts.shift() : root === 'api' ? '' : undefined
  const version = parts.shift()
  const isInNamespace = parts[0] === 'namespaces' && parts.length > 2 && !['status', 'finalize'].includes(parts[2]!)
  const namespace = isInNamespace ? parts[1] : undefined
  const [plural, name, subresource, ...more] = isInNamespace ? parts.slice(2) : parts
  if (group === undefined || version === undefined || plural === undefined || more.length > 0) throw noSuchPath()
  const isWatch = ['1', 'true'].includes(searchParams.get('watch') ?? '')
  const reads = name === undefined ? (isWatch ? 'watch' : 'list') : 'get'
  return { verb: VERBS[method] ?? reads, group, version, plural, subresource, namespace, name }
}

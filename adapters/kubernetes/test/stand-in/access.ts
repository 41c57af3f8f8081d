// Who asks (tokens and client certificates), and whether they may (RBAC).
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Fields, Stored } from './objects.js'
import { badRequest, StatusError, unauthorized } from './status-error.js'
import type { Store } from './store.js'

export interface User {
  readonly name: string
  readonly groups: readonly string[]
}

/** What is asked for, in the words of RBAC. */
export interface Attributes {
  readonly verb: string
  readonly group: string
  /** `pods`, `pods/eviction`. */
  readonly resource: string
  readonly namespace?: string | undefined
  readonly name?: string | undefined
}

interface Rule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
}

const AUTHENTICATED = 'system:authenticated'

/** May do everything; what a cluster's first administrator belongs to. */
export const MASTERS = 'system:masters'

/** A service account as a user. */
export const serviceAccountUser = (namespace: string, name: string): User => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
})

/** @throws StatusError 401 */
export function authenticate(request: IncomingMessage, tokens: ReadonlyMap<string, User>): User {
  const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? []
  const user = token === undefined ? certified(request.socket as TLSSocket) : tokens.get(token)
  if (user === undefined) throw unauthorized()
  const { name, groups } = user.groups.includes(MASTERS) ? impersonated(request, user) : user
  return { name, groups: [...groups, AUTHENTICATED] }
}

/** Who may do everything may ask in another one's name: `kubectl --as`. A service account brings its groups along. */
function impersonated({ headers }: IncomingMessage, user: User): User {
  const name = headers['impersonate-user']
  if (typeof name !== 'string') return user
  const [, namespace, account] = /^system:serviceaccount:([^:]+):(.+)$/.exec(name) ?? []
  if (namespace !== undefined && account !== undefined) return serviceAccountUser(namespace, account)
  return { name, groups: [headers['impersonate-group'] ?? []].flat() }
}

/** The common name of a client certificate is the user, its organizations are the groups. */
function certified(socket: TLSSocket): User | undefined {
  if (!socket.authorized) return undefined
  const { subject } = socket.getPeerCertificate()
  if (!subject?.CN) return undefined
  return { name: String(subject.CN), groups: [subject.O ?? []].flat() }
}

export class Authorizer {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** @throws StatusError 403 */
  require(user: User, wanted: Attributes): void {
    if (this.allows(user, wanted)) return
    const { verb, group, resource, namespace, name } = wanted
    const scope = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`
    const title = group === '' ? resource.split('/')[0] : `${resource.split('/')[0]}.${group}`
    const object = name === undefined ? title : `${title} "${name}"`
    const what = `cannot ${verb} resource "${resource}" in API group "${group}" ${scope}`
    throw new StatusError(403, 'Forbidden', `${object} is forbidden: User "${user.name}" ${what}`, {
      name,
      kind: resource,
      group,
    })
  }

  allows(user: User, wanted: Attributes): boolean {
    if (user.groups.includes(MASTERS)) return true
    const everywhere = this.#rules('clusterrolebindings', undefined, user)
    const here = wanted.namespace === undefined ? [] : this.#rules('rolebindings', wanted.namespace, user)
    return [...everywhere, ...here].some((rule) => covers(rule, wanted))
  }

  #rules(bindings: string, namespace: string | undefined, user: User): Rule[] {
    const bound = this.#store
      .list(`rbac.authorization.k8s.io/${bindings}`, namespace)
      .filter((binding) => names(binding, user))
    return bound.flatMap(({ roleRef }) => {
      const { kind, name } = roleRef as { kind: string; name: string }
      const isCluster = kind === 'ClusterRole'
      const role = this.#store.get(
        `rbac.authorization.k8s.io/${isCluster ? 'clusterroles' : 'roles'}`,
        isCluster ? undefined : namespace,
        name,
      )
      return (role?.rules as Rule[] | undefined) ?? []
    })
  }
}

function names(binding: Stored, user: User): boolean {
  return ((binding.subjects as Fields[] | undefined) ?? []).some(({ kind, name, namespace }) => {
    if (kind === 'User') return name === user.name
    if (kind === 'Group') return user.groups.includes(String(name))
    return serviceAccountUser(String(namespace), String(name)).name === user.name
  })
}

function covers({ verbs, apiGroups = [], resources = [], resourceNames = [] }: Rule, wanted: Attributes): boolean {
  const has = (list: readonly string[], value: string): boolean => list.includes('*') || list.includes(value)
  const [, subresource] = wanted.resource.split('/')
  const isResource =
    has(resources, wanted.resource) || (subresource !== undefined && resources.includes(`*/${subresource}`))
  const isName = resourceNames.length === 0 || (wanted.name !== undefined && resourceNames.includes(wanted.name))
  return has(verbs, wanted.verb) && has(apiGroups, wanted.group) && isResource && isName
}

/** What `kubectl auth can-i` asks. */
export function reviewAccess(authorizer: Authorizer, user: User, body: Fields): object {
  const spec = body.spec as
    | { resourceAttributes?: Partial<Record<string, string>>; nonResourceAttributes?: object }
    | undefined
  const asked = spec?.resourceAttributes
  if (!asked && !spec?.nonResourceAttributes) throw badRequest('spec.resourceAttributes is missing')
  const resource = [asked?.resource ?? '', asked?.subresource].filter(Boolean).join('/')
  const attributes = {
    verb: asked?.verb ?? '',
    group: asked?.group ?? '',
    resource,
    namespace: asked?.namespace || undefined,
    name: asked?.name || undefined,
  }
  return { ...body, status: { allowed: asked ? authorizer.allows(user, attributes) : true } }
}

// Which groups, versions and kinds there are: what clients and kubectl ask first.
import { apiVersionOf, type Kind } from './kinds.js'
import { noSuchPath } from './status-error.js'

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']

/** Kinds that are computed, not kept. */
const VIRTUAL = [
  {
    apiVersion: 'authorization.k8s.io/v1',
    name: 'selfsubjectaccessreviews',
    kind: 'SelfSubjectAccessReview',
    namespaced: false,
    verbs: ['create'],
  },
  { apiVersion: 'metrics.k8s.io/v1beta1', name: 'pods', kind: 'PodMetrics', namespaced: true, verbs: ['get', 'list'] },
]

/** The answer to a path of discovery; undefined: the path is another one's. */
export function discover(path: string, kinds: readonly Kind[], minor: number): object | undefined {
  if (path === '/version')
    return {
      major: '1',
      minor: String(minor),
      gitVersion: `v1.${minor}.0+trimtab-stand-in`,
      gitCommit: 'none: this is a stand-in for tests, no Kubernetes',
      gitTreeState: 'clean',
      buildDate: '1970-01-01T00:00:00Z',
      goVersion: 'none',
      compiler: 'none',
      platform: 'none',
    }
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] }
  if (path === '/apis') return { kind: 'APIGroupList', apiVersion: 'v1', groups: groupsOf(kinds) }
  const [, groupName] = /^\/apis\/([^/]+)$/.exec(path) ?? []
  if (groupName !== undefined) return only(groupsOf(kinds).find(({ name }) => name === groupName))
  const [, , groupVersion] = /^\/(apis\/([^/]+\/[^/]+)|api\/v1)$/.exec(path) ?? []
  if (groupVersion !== undefined || path === '/api/v1') return resourcesOf(groupVersion ?? 'v1', kinds, minor)
  return undefined
}

function groupsOf(kinds: readonly Kind[]): { name: string; versions: object[] }[] {
  const served = [...kinds.map(apiVersionOf), ...VIRTUAL.map(({ apiVersion }) => apiVersion)].filter((version) =>
    version.includes('/'),
  )
  const names = new Set(served.map((version) => version.split('/')[0]!))
  return [...names].map((name) => {
    const versions = [...new Set(served.filter((version) => version.startsWith(`${name}/`)))].map((groupVersion) => ({
      groupVersion,
      version: groupVersion.split('/')[1],
    }))
    return { name, versions, preferredVersion: versions[0] }
  })
}

function resourcesOf(groupVersion: string, kinds: readonly Kind[], minor: number): object {
  const real = kinds.filter((kind) => apiVersionOf(kind) === groupVersion).flatMap((kind) => entriesOf(kind, minor))
  const virtual = VIRTUAL.filter(({ apiVersion }) => apiVersion === groupVersion).map(
    ({ apiVersion: _, ...entry }) => ({ singularName: '', ...entry }),
  )
  return only(
    real.length + virtual.length > 0 && {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion,
      resources: [...real, ...virtual],
    },
  )
}

function entriesOf({ kind, plural, isNamespaced, shortNames, subresources }: Kind, minor: number): object[] {
  const common = { namespaced: isNamespaced, singularName: '' }
  const main = { ...common, name: plural, singularName: kind.toLowerCase(), kind, verbs: VERBS, shortNames }
  return [
    main,
    ...subresources.map((name) => {
      const entry = { ...common, name: `${plural}/${name}` }
      if (name === 'scale')
        return { ...entry, group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] }
      if (name === 'eviction')
        return { ...entry, group: 'policy', version: evictionVersion(minor), kind: 'Eviction', verbs: ['create'] }
      if (name === 'token')
        return { ...entry, group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', verbs: ['create'] }
      return { ...entry, kind, verbs: ['get', 'patch', 'update'] }
    }),
  ]
}

/** Evictions moved to policy/v1 a release after budgets did. */
export const evictionVersion = (minor: number): string => (minor >= 22 ? 'v1' : 'v1beta1')

function only(found: object | false | undefined): object {
  if (!found) throw noSuchPath()
  return found
}

import { expect, it } from 'vitest'
import { type KubernetesClient, type KubernetesObject, NAMESPACES, resource } from '../../src/index.js'
import { CONFIG_MAPS, configMap } from '../objects.js'
import { PATIENCE, type Server } from './server.js'

interface Role extends KubernetesObject {
  readonly rules: readonly {
    readonly apiGroups: readonly string[]
    readonly resources: readonly string[]
    readonly resourceNames?: readonly string[]
    readonly verbs: readonly string[]
  }[]
}
interface RoleBinding extends KubernetesObject {
  readonly roleRef: { readonly apiGroup: string; readonly kind: string; readonly name: string }
  readonly subjects: readonly { readonly kind: string; readonly namespace: string; readonly name: string }[]
}

const RBAC = 'rbac.authorization.k8s.io'
const ROLES = resource<Role>(`${RBAC}/v1`, 'Role', 'roles')
const ROLE_BINDINGS = resource<RoleBinding>(`${RBAC}/v1`, 'RoleBinding', 'rolebindings')
const SERVICE_ACCOUNTS = resource<KubernetesObject>('v1', 'ServiceAccount', 'serviceaccounts')

export function accessContract(server: () => Server): void {
  it('knows nobody by a token that is none (401)', async () => {
    await expect(server().clientWith('no-token').list(NAMESPACES)).rejects.toMatchObject({
      httpStatus: 401,
      code: 'api_unauthorized',
    })
  })

  /** A service account of the namespace that may do what the rules say. */
  async function account(name: string, rules: Role['rules']): Promise<KubernetesClient> {
    const { client, clientWith, namespace } = server()
    const metadata = { namespace, name }
    await client.create(SERVICE_ACCOUNTS, { metadata })
    await client.create(ROLES, { metadata, rules })
    await client.create(ROLE_BINDINGS, {
      metadata,
      roleRef: { apiGroup: RBAC, kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', namespace, name }],
    })
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
    const { status } = await client.request<{ status: { token: string } }>({ method: 'POST', path, body })
    return clientWith(status.token)
  }

  const refusal = { httpStatus: 403, code: 'api_forbidden' }
  /** Roles take effect after a moment. */
  const comesTrue = (ask: () => Promise<unknown>): Promise<unknown> =>
    expect
      .poll(
        () =>
          ask().then(
            () => true,
            () => false,
          ),
        PATIENCE,
      )
      .toBe(true)

  it('lets a service account do what its role says, and nothing else (403)', async () => {
    const { namespace } = server()
    const reader = await account('reader', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }])
    await comesTrue(() => reader.list(CONFIG_MAPS, { namespace }))
    const message = expect.stringContaining(`system:serviceaccount:${namespace}:reader`)
    await expect(reader.create(CONFIG_MAPS, configMap(namespace, 'forbidden'))).rejects.toMatchObject({
      ...refusal,
      message,
    })
    await expect(reader.list(CONFIG_MAPS)).rejects.toMatchObject(refusal) // in every namespace
  })

  it('takes a list of one name for a question about that object', async () => {
    const { namespace } = server()
    const rule = { apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'], verbs: ['list'] }
    const reader = await account('reader-of-one', [rule])
    await comesTrue(() => reader.list(CONFIG_MAPS, { namespace, fieldSelector: 'metadata.name=mine' }))
    const other = reader.list(CONFIG_MAPS, { namespace, fieldSelector: 'metadata.name=other' })
    await expect(other).rejects.toMatchObject(refusal)
    await expect(reader.list(CONFIG_MAPS, { namespace })).rejects.toMatchObject(refusal)
  })

  it('asks for the verb create when an apply creates', async () => {
    const { client, namespace } = server()
    const applier = await account('applier', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch', 'list'] }])
    await comesTrue(() => applier.list(CONFIG_MAPS, { namespace }))
    await expect(applier.apply(CONFIG_MAPS, configMap(namespace, 'not-there'))).rejects.toMatchObject(refusal)
    await client.create(CONFIG_MAPS, configMap(namespace, 'not-there'))
    const applied = await applier.apply(CONFIG_MAPS, configMap(namespace, 'not-there', { key: 'new' }), { force: true })
    expect(applied.data).toEqual({ key: 'new' })
  })

  it('answers whether one may', async () => {
    const { client, namespace } = server()
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
    const spec = { resourceAttributes: { namespace, verb: 'create', group: '', resource: 'configmaps' } }
    const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec }
    expect(await client.request({ method: 'POST', path, body })).toMatchObject({ status: { allowed: true } })
  })
}

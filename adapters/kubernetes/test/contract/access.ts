import { expect, it } from 'vitest'
import { type KubernetesObject, NAMESPACES, resource } from '../../src/index.js'
import { CONFIG_MAPS, configMap } from '../objects.js'
import { PATIENCE, type Server } from './server.js'

interface Role extends KubernetesObject {
  readonly rules: readonly {
    readonly apiGroups: readonly string[]
    readonly resources: readonly string[]
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

  it('lets a service account do what its role says, and nothing else (403)', async () => {
    const { client, clientWith, namespace } = server()
    const metadata = { namespace, name: 'reader' }
    await client.create(SERVICE_ACCOUNTS, { metadata })
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/reader/token`
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
    const { status } = await client.request<{ status: { token: string } }>({ method: 'POST', path, body })
    const reader = clientWith(status.token)
    const refusal = {
      httpStatus: 403,
      code: 'api_forbidden',
      message: expect.stringContaining(`system:serviceaccount:${namespace}:reader`),
    }
    await expect(reader.list(CONFIG_MAPS, { namespace })).rejects.toMatchObject(refusal)
    await client.create(ROLES, { metadata, rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }] })
    await client.create(ROLE_BINDINGS, {
      metadata,
      roleRef: { apiGroup: RBAC, kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', namespace, name: 'reader' }],
    })
    await expect
      .poll(
        async () =>
          reader.list(CONFIG_MAPS, { namespace }).then(
            () => true,
            () => false,
          ),
        PATIENCE,
      )
      .toBe(true)
    await expect(reader.create(CONFIG_MAPS, configMap(namespace, 'forbidden'))).rejects.toMatchObject(refusal)
    await expect(reader.list(CONFIG_MAPS)).rejects.toMatchObject(refusal) // in every namespace
  })

  it('answers whether one may', async () => {
    const { client, namespace } = server()
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
    const spec = { resourceAttributes: { namespace, verb: 'create', group: '', resource: 'configmaps' } }
    const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec }
    expect(await client.request({ method: 'POST', path, body })).toMatchObject({ status: { allowed: true } })
  })
}

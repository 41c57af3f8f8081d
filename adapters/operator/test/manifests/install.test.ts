import {
  type KubernetesClient,
  type KubernetesObject,
  MULTIDIM_POD_AUTOSCALERS,
  NAMESPACES,
  resource,
} from '@trimtab/kubernetes'
import { describe, expect, it } from 'vitest'
import { open } from '../../../kubernetes/test/opened.js'
import type { StandIn } from '../../../kubernetes/test/stand-in/index.js'
import {
  ADMISSION_SECRET,
  findInstalled,
  type InstallOptions,
  install,
  objectTitle,
  operatorObjects,
  uninstall,
} from '../../src/manifests/index.js'
import { autoscalerOf } from '../cluster.js'

const CONFIG_MAPS = resource<KubernetesObject>('v1', 'ConfigMap', 'configmaps')
const SECRETS = resource<KubernetesObject>('v1', 'Secret', 'secrets')
const LEASES = resource<KubernetesObject>('coordination.k8s.io/v1', 'Lease', 'leases')
const WEBHOOKS = resource<KubernetesObject>(
  'admissionregistration.k8s.io/v1',
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
  false,
)

async function installed(client: KubernetesClient, options: InstallOptions = {}): Promise<string[]> {
  const said: string[] = []
  for await (const step of install(client, options)) said.push(`${objectTitle(step)} ${step.outcome}`)
  return said
}

async function uninstalled(client: KubernetesClient): Promise<string[]> {
  const said: string[] = []
  for await (const object of uninstall(client, await findInstalled(client))) said.push(objectTitle(object))
  return said
}

/** Every object in a cluster. Events tell what happened, and go by themselves. */
const contents = ({ registry }: StandIn): string[] =>
  registry.kinds
    .flatMap(({ collection, kind }) =>
      registry.store.list(collection).map(({ metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`),
    )
    .filter((object) => !object.startsWith('Event '))
    .sort()

describe('an installation', () => {
  it('applies each object once, and says so', async () => {
    const { client } = await open()
    const said = await installed(client)
    expect(said).toHaveLength(operatorObjects().length)
    expect(said).toContain('deployment.apps/trimtab-updater in trimtab-system applied')
    expect(said[0]).toBe('namespace/trimtab-system applied')
  })

  it('again changes nothing, and leaves what the webhook wrote of itself', async () => {
    const { client, standIn } = await open()
    await installed(client)
    const ref = { name: 'trimtab-admission' }
    const [webhook] = ((await client.get(WEBHOOKS, ref)) as unknown as { webhooks: { clientConfig: object }[] })
      .webhooks
    const clientConfig = { ...webhook!.clientConfig, caBundle: 'bundle' }
    await client.merge(
      WEBHOOKS,
      ref,
      { webhooks: [{ ...webhook, clientConfig }] },
      { fieldManager: 'trimtab-admission' },
    )
    const before = contents(standIn)
    await installed(client)
    expect(contents(standIn)).toEqual(before)
    expect(await client.get(WEBHOOKS, ref)).toMatchObject({ webhooks: [{ clientConfig: { caBundle: 'bundle' } }] })
  })

  it('changes nothing when an option is bad', async () => {
    const { client, standIn } = await open()
    const before = contents(standIn)
    await expect(installed(client, { replicas: 0 })).rejects.toThrow(/replicas/)
    expect(contents(standIn)).toEqual(before)
  })

  it('is taken out without a trace: autoscalers, what was learned, leases and the secret too', async () => {
    const { client, standIn } = await open()
    const before = contents(standIn)
    await installed(client, { watchedNamespaces: ['default'] })
    await client.create(LEASES, { metadata: { namespace: 'trimtab-system', name: 'trimtab-updater' } })
    await client.create(SECRETS, { metadata: { namespace: 'trimtab-system', name: ADMISSION_SECRET } })
    const { metadata } = await client.create(MULTIDIM_POD_AUTOSCALERS, autoscalerOf('web'))
    const { apiVersion, kind } = MULTIDIM_POD_AUTOSCALERS
    const ownerReferences = [{ apiVersion, kind, name: 'web', uid: metadata!.uid! }]
    await client.create(CONFIG_MAPS, { metadata: { namespace: 'default', name: 'trimtab-state-web', ownerReferences } })
    const said = await uninstalled(client)
    expect(said.indexOf('mutatingwebhookconfiguration.admissionregistration.k8s.io/trimtab-admission')).toBeLessThan(
      said.indexOf('deployment.apps/trimtab-admission in trimtab-system'),
    )
    await expect.poll(() => contents(standIn)).toEqual(before)
    expect(await findInstalled(client)).toEqual([])
  })

  it("leaves somebody else's namespace as it is, and empties it", async () => {
    const { client, standIn } = await open()
    await client.create(NAMESPACES, { metadata: { name: 'trimtab-system' } })
    const before = contents(standIn)
    const said = await installed(client)
    expect(said[0]).toBe('namespace/trimtab-system kept')
    expect((await client.get(NAMESPACES, { name: 'trimtab-system' })).metadata?.labels).toBeUndefined()
    await uninstalled(client)
    await expect.poll(() => contents(standIn)).toEqual(before)
  })

  it.each([20, 32])('fits a cluster of 1.%i', async (minor) => {
    const { client } = await open({ minor })
    const disruptionBudgets = minor === 20 ? 'policy/v1beta1' : 'policy/v1'
    expect(await installed(client, { disruptionBudgets })).toHaveLength(operatorObjects().length)
  })
})

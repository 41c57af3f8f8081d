import { type KubernetesObject, MULTIDIM_POD_AUTOSCALERS, NAMESPACES, resource } from '@trimtab/kubernetes'
import { describe, expect, it } from 'vitest'
import { indexScalers, otherScalersOf, type ScalerObject, Targets } from '../src/index.js'
import { autoscalerOf, DEFINITIONS, openCluster, openContext, type TestCluster } from './cluster.js'

const HPAS = resource<ScalerObject>('autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers')
const VPAS = resource<ScalerObject>('autoscaling.k8s.io/v1', 'VerticalPodAutoscaler', 'verticalpodautoscalers')
const OBJECT = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/** As the VerticalPodAutoscaler's own manifest has it, less the schema. */
async function installVerticalAutoscaler({ client }: TestCluster): Promise<void> {
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: OBJECT } }
  const names = { kind: VPAS.kind, plural: VPAS.plural }
  const spec = { group: 'autoscaling.k8s.io', scope: 'Namespaced', names, versions: [version] }
  await client.create(DEFINITIONS, {
    metadata: { name: `${VPAS.plural}.autoscaling.k8s.io` },
    spec,
  } as KubernetesObject)
}

const deployment = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name })

describe('other scalers of a workload', () => {
  it('are HPAs, VPAs that update, and autoscalers that act, in the same namespace', async () => {
    const cluster = await openCluster()
    await installVerticalAutoscaler(cluster)
    const { client } = cluster
    await client.create(NAMESPACES, { metadata: { name: 'elsewhere' } })
    const context = await openContext(cluster)
    const web = await client.create(MULTIDIM_POD_AUTOSCALERS, autoscalerOf('web', { mode: 'act' }))
    const others = () => otherScalersOf(indexScalers(context), web)
    await client.create(MULTIDIM_POD_AUTOSCALERS, autoscalerOf('shadow'))
    const scaled = (namespace: string, name: string, target: string) =>
      client.create(HPAS, { metadata: { namespace, name }, spec: { scaleTargetRef: deployment(target) } })
    await scaled('default', 'of-another', 'api')
    await scaled('elsewhere', 'far', 'web')
    const updated = (name: string, updateMode: string) =>
      client.create(VPAS, {
        metadata: { namespace: 'default', name },
        spec: { targetRef: deployment('web'), updatePolicy: { updateMode } },
      })
    await updated('off', 'Off')
    const last = { namespace: 'default', name: 'off' }
    await expect.poll(() => context.scalers.some((informer) => informer.get(last))).toBe(true)
    expect(others()).toEqual([])
    await scaled('default', 'near', 'web')
    await updated('auto', 'Auto')
    await client.create(MULTIDIM_POD_AUTOSCALERS, autoscalerOf('twin', { mode: 'act' }))
    const all = ['HorizontalPodAutoscaler near', 'MultidimPodAutoscaler twin', 'VerticalPodAutoscaler auto']
    await expect.poll(others).toEqual(all)
  })

  it('are not asked for where the cluster has none', async () => {
    const { scalers } = await openContext(await openCluster())
    expect(scalers).toHaveLength(1) // no VerticalPodAutoscaler is installed
  })
})

describe('targets', () => {
  it('of well-known kinds are known; others are asked once', async () => {
    const cluster = await openCluster()
    await installVerticalAutoscaler(cluster)
    const targets = new Targets(cluster.client)
    expect(await targets.resourceOf(deployment('web'))).toMatchObject({ plural: 'deployments' })
    expect(await targets.resourceOf(VPAS)).toMatchObject({ plural: 'verticalpodautoscalers' })
    const unknown = targets.resourceOf({ apiVersion: 'apps/v1', kind: 'Deploiment' })
    await expect(unknown).rejects.toMatchObject({
      code: 'target_unknown',
      message: expect.stringContaining('no Deploiment'),
    })
    await expect(targets.resourceOf({ apiVersion: 'none.example/v1', kind: 'None' })).rejects.toMatchObject({
      code: 'target_unknown',
    })
  })
})

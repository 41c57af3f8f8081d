import { expect, it } from 'vitest'
import {
  customResourceDefinition,
  type KubernetesObject,
  MULTIDIM_POD_AUTOSCALERS,
  type MultidimPodAutoscaler,
  readAutoscaler,
  resource,
} from '../../src/index.js'
import { PATIENCE, type Server } from './server.js'

interface Definition extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

const DEFINITIONS = resource<Definition>(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
  false,
)

/** Makes the kind known; it stays: others in the cluster may have it. */
async function define({ client }: Server): Promise<void> {
  const { metadata } = await client.apply(DEFINITIONS, customResourceDefinition() as Definition, { force: true })
  const established = async () => (await client.get(DEFINITIONS, { name: metadata!.name! })).status?.conditions ?? []
  await expect
    .poll(established, PATIENCE)
    .toEqual(expect.arrayContaining([expect.objectContaining({ type: 'Established', status: 'True' })]))
}

const autoscaler = (namespace: string, name: string, spec: object = {}): MultidimPodAutoscaler =>
  ({ metadata: { namespace, name }, spec: { scaleTargetRef: { name: 'web' }, ...spec } }) as MultidimPodAutoscaler

export function autoscalerContract(server: () => Server): void {
  it('fills in the defaults of a MultidimPodAutoscaler, the same ones as we do', async () => {
    const { client, namespace } = server()
    await define(server())
    const bare = autoscaler(namespace, 'bare')
    const made = await client.create(MULTIDIM_POD_AUTOSCALERS, bare)
    expect(made.spec).toEqual(readAutoscaler(bare))
  })

  it('refuses what its schema does not allow, by field (422), and drops what it does not know', async () => {
    const { client, namespace } = server()
    await define(server())
    const wrong = client.create(
      MULTIDIM_POD_AUTOSCALERS,
      autoscaler(namespace, 'wrong', { mode: 'auto', bounds: { replicas: { min: 0 } } }),
    )
    await expect(wrong).rejects.toMatchObject({
      httpStatus: 422,
      code: 'api_invalid',
      answer: {
        details: {
          causes: expect.arrayContaining([
            expect.objectContaining({ field: 'spec.mode' }),
            expect.objectContaining({ field: 'spec.bounds.replicas.min' }),
          ]),
        },
      },
    })
    const made = await client.create(MULTIDIM_POD_AUTOSCALERS, autoscaler(namespace, 'misspelt', { mod: 'act' }))
    expect(made.spec).not.toHaveProperty('mod')
  })

  it('keeps spec and status apart, and counts changes of the spec alone', async () => {
    const { client, namespace } = server()
    await define(server())
    const ref = { namespace, name: 'apart' }
    const made = await client.create(MULTIDIM_POD_AUTOSCALERS, {
      ...autoscaler(namespace, ref.name),
      status: { stage: 'online' },
    } as MultidimPodAutoscaler)
    expect(made.status).toBeUndefined()
    expect(made.metadata?.generation).toBe(1)
    const said = await client.merge(
      MULTIDIM_POD_AUTOSCALERS,
      ref,
      { spec: { mode: 'act' }, status: { stage: 'serving' } },
      { subresource: 'status' },
    )
    expect([said.status?.stage, said.spec.mode, said.metadata?.generation]).toEqual(['serving', 'recommend', 1])
    const changed = await client.merge(MULTIDIM_POD_AUTOSCALERS, ref, {
      spec: { mode: 'act' },
      status: { stage: 'offline' },
    })
    expect([changed.status?.stage, changed.spec.mode, changed.metadata?.generation]).toEqual(['serving', 'act', 2])
  })

  it('shows its columns', async () => {
    const { client, namespace } = server()
    await define(server())
    const ref = { namespace, name: 'shown' }
    await client.create(MULTIDIM_POD_AUTOSCALERS, autoscaler(namespace, ref.name))
    const summary = { slo: '212 of 250 ms', budget: '93 %', saving: '0.12 USD/h (31 %)' }
    const status = { replicas: { current: 3, wanted: 2 }, stage: 'online', summary }
    await client.merge(MULTIDIM_POD_AUTOSCALERS, ref, { status }, { subresource: 'status' })
    const path = `/apis/${MULTIDIM_POD_AUTOSCALERS.apiVersion}/namespaces/${namespace}/${MULTIDIM_POD_AUTOSCALERS.plural}/shown`
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
    const table = await client.request<{ columnDefinitions: { name: string }[]; rows: { cells: unknown[] }[] }>({
      method: 'GET',
      path,
      accept,
    })
    expect(table.columnDefinitions.map(({ name }) => name)).toEqual([
      'Name',
      'Mode',
      'Replicas',
      'Wanted',
      'SLO',
      'Budget',
      'Saving',
      'Stage',
      'Age',
    ])
    expect(table.rows[0]!.cells.slice(0, -1)).toEqual([
      'shown',
      'recommend',
      3,
      2,
      summary.slo,
      summary.budget,
      summary.saving,
      'online',
    ])
  })
}

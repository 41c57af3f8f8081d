// The real kubectl against the stand-in: what the owner of an autoscaler types.
import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { customResourceDefinition, type KubernetesClient, MULTIDIM_POD_AUTOSCALERS, resource } from '../src/index.js'
import { deployment } from './objects.js'
import { openClient, openStandIn, temporaryFile, temporaryFolder } from './opened.js'
import { findTool, runTool } from './tools.js'

const SAMPLE = readFileSync(new URL('../examples/web.yaml', import.meta.url), 'utf8')
const REF = { namespace: 'default', name: 'web' }
const program = findTool('kubectl', 'the stand-in by kubectl')

describe.runIf(program !== undefined)('kubectl', () => {
  let home: string
  let client: KubernetesClient
  let kubectl: (command: string, input?: string) => Promise<string>
  beforeEach(async () => {
    const standIn = await openStandIn()
    home = await temporaryFolder()
    client = await openClient(standIn)
    const kubeconfig = await temporaryFile(standIn.kubeconfig())
    kubectl = (command, input) =>
      runTool(program!, command.split(' '), { env: { HOME: home, KUBECONFIG: kubeconfig }, input })
  })
  const apply = (object: object): Promise<string> =>
    kubectl('apply --server-side -f -', stringify({ apiVersion: 'apps/v1', kind: 'Deployment', ...object }))

  it('applies the definition and the sample, and shows an autoscaler in its columns', async () => {
    expect(await apply(customResourceDefinition())).toBe(
      'customresourcedefinition.apiextensions.k8s.io/multidimpodautoscalers.trimtab.dev serverside-applied\n',
    )
    await kubectl('wait --for=condition=Established crd/multidimpodautoscalers.trimtab.dev --timeout=10s')
    expect(await kubectl('apply --server-side -f -', SAMPLE)).toBe(
      'multidimpodautoscaler.trimtab.dev/web serverside-applied\n',
    )
    const summary = { slo: '212 of 250 ms', budget: '93 %', saving: '0.12 USD/h' }
    const conditions = [
      { type: 'Ready', status: 'True', reason: 'MetricsSeen', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ] as const
    const status = { replicas: { current: 3, wanted: 2 }, stage: 'online', summary, conditions }
    await client.merge(MULTIDIM_POD_AUTOSCALERS, REF, { status }, { subresource: 'status' })
    const [head, row] = (await kubectl('get mdpa web')).trim().split('\n')
    expect(head!.split(/\s{2,}/)).toEqual([
      'NAME',
      'MODE',
      'REPLICAS',
      'WANTED',
      'SLO',
      'BUDGET',
      'SAVING',
      'STAGE',
      'AGE',
    ])
    expect(row!.split(/\s{2,}/).slice(0, -1)).toEqual([
      'web',
      'recommend',
      '3',
      '2',
      summary.slo,
      summary.budget,
      summary.saving,
      'online',
    ])
    expect(await kubectl('wait --for=condition=Ready mdpa/web --timeout=10s')).toBe(
      'multidimpodautoscaler.trimtab.dev/web condition met\n',
    )
    expect(await kubectl('explain mdpa.spec.mode')).toContain('recommend: decisions are written into the status')
  })

  it('describes an autoscaler with its events', async () => {
    await apply(customResourceDefinition())
    await kubectl('apply --server-side -f -', SAMPLE)
    const { metadata } = await client.get(MULTIDIM_POD_AUTOSCALERS, REF)
    const { apiVersion, kind } = MULTIDIM_POD_AUTOSCALERS
    const event = {
      metadata: { namespace: 'default', name: 'web.1' },
      involvedObject: { apiVersion, kind, ...REF, uid: metadata!.uid },
      type: 'Normal',
      reason: 'HeldBack',
      message: 'would remove one pod: saves 0.03 USD/h',
      firstTimestamp: metadata!.creationTimestamp,
      lastTimestamp: metadata!.creationTimestamp,
      count: 1,
    }
    await client.create(resource('v1', 'Event', 'events'), event)
    const described = await kubectl('describe mdpa web')
    expect(described).toMatch(/Mode:\s+recommend/)
    expect(described).toMatch(/Normal\s+HeldBack\s.*would remove one pod: saves 0\.03 USD\/h/)
  })

  it('refuses what the schema does not allow', async () => {
    await apply(customResourceDefinition())
    await expect(kubectl('apply --server-side -f -', SAMPLE.replace('p99Ms', 'p99ms'))).rejects.toThrow(
      /spec\.slo\.latency/,
    )
    await kubectl('apply --server-side -f -', SAMPLE)
    await expect(kubectl('patch mdpa web --type=merge -p {"spec":{"mode":"auto"}}')).rejects.toThrow(
      /spec\.mode: Unsupported value: "auto"/,
    )
  })

  it('pauses with a reason, and lets go on', async () => {
    await apply(customResourceDefinition())
    await kubectl('apply --server-side -f -', SAMPLE)
    await kubectl('annotate mdpa web trimtab.dev/pause=holiday')
    expect((await client.get(MULTIDIM_POD_AUTOSCALERS, REF)).metadata?.annotations).toEqual({
      'trimtab.dev/pause': 'holiday',
    })
    await kubectl('annotate mdpa web trimtab.dev/pause-')
    expect((await client.get(MULTIDIM_POD_AUTOSCALERS, REF)).metadata?.annotations ?? {}).toEqual({})
  })

  it('scales, patches, waits for and deletes a workload', async () => {
    expect(await apply(deployment('default', 'web', 2))).toBe('deployment.apps/web serverside-applied\n')
    expect(await kubectl('wait --for=condition=Available deployment/web --timeout=20s')).toBe(
      'deployment.apps/web condition met\n',
    )
    expect(await kubectl('scale deployment web --replicas=3')).toBe('deployment.apps/web scaled\n')
    expect(await kubectl('patch deployment web -p {"metadata":{"labels":{"team":"shop"}}}')).toBe(
      'deployment.apps/web patched\n',
    )
    expect(await kubectl('get deployment web -o jsonpath={.spec.replicas}/{.metadata.labels.team}')).toBe('3/shop')
    expect(await kubectl('describe deployment web')).toMatch(/Replicas:\s+3 desired/)
    await expect(apply(deployment('default', 'web', 2))).rejects.toThrow(
      /conflict with "kubectl" with subresource "scale".*\n?.*\.spec\.replicas/,
    )
    expect(await kubectl('delete deployment web --timeout=20s')).toBe('deployment.apps "web" deleted\n')
    await expect(kubectl('get deployment web')).rejects.toThrow('deployments.apps "web" not found')
  })

  it('is told what one may', async () => {
    expect(await kubectl('auth can-i create pods')).toBe('yes\n')
  })
})

// The real helm and kubectl render what the source says.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { OPERATOR } from '../../../../scripts/make-manifests.mjs'
import { findTool, runTool } from '../../../kubernetes/test/tools.js'
import { type InstallOptions, type ManifestObject, operatorObjects } from '../../src/manifests/index.js'

const kubectl = findTool('kubectl', 'kubectl kustomize of the manifests')
const helm = findTool('helm', 'helm template and lint of the chart')

const nameOf = ({ kind, metadata }: ManifestObject): string => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`

/** By name, since tools have orders of their own. */
const byName = (objects: readonly ManifestObject[]): object =>
  Object.fromEntries(objects.map((object) => [nameOf(object), object] as const).sort(([a], [b]) => (a < b ? -1 : 1)))

function parsed(yaml: string): object {
  const objects = parseAllDocuments(yaml).map((document) => document.toJS() as ManifestObject | null)
  return byName(objects.filter((object) => object !== null))
}

const kustomized = async (folder: string): Promise<object> =>
  parsed(await runTool(kubectl!, ['kustomize', join(OPERATOR, 'manifests', folder)]))

describe.runIf(kubectl)('kubectl kustomize', () => {
  it.each<[string, InstallOptions]>([
    ['overlays/full', {}],
    ['overlays/recommend-only', { parts: ['recommender'] }],
  ])('%s is an installation', async (overlay, options) => {
    expect(await kustomized(overlay)).toEqual(byName(operatorObjects(options)))
  })

  it('monitoring is what an installation with monitoring has more', async () => {
    const without = new Set(operatorObjects().map(nameOf))
    const more = operatorObjects({ monitoring: true }).filter((object) => !without.has(nameOf(object)))
    expect(await kustomized('monitoring')).toEqual(byName(more))
  })
})

describe.runIf(helm)('helm', () => {
  const chart = join(OPERATOR, 'chart')
  const template = (set: readonly string[], namespace = 'trimtab-system'): Promise<string> =>
    runTool(helm!, [
      ...['template', 'trimtab', chart, '--namespace', namespace],
      ...set.flatMap((value) => (value.startsWith('--') ? value.split(' ') : ['--set', value])),
    ])

  it('lint finds nothing wrong', async () => {
    expect(await runTool(helm!, ['lint', '--strict', chart])).toContain('1 chart(s) linted, 0 chart(s) failed')
  })

  it('template renders what kubectl kustomize renders', async () => {
    expect(parsed(await template(['createNamespace=true']))).toEqual(await kustomized('overlays/full'))
  })

  it.each<[string, string[], InstallOptions]>([
    ['the recommender alone', ['updater.enabled=false', 'admission.enabled=false'], { parts: ['recommender'] }],
    ['watched namespaces', ['watchNamespaces={shop,bank}'], { watchedNamespaces: ['shop', 'bank'] }],
    ['monitoring, whose braces are not helm’s', ['monitoring.enabled=true'], { monitoring: true }],
    [
      'numbers, an image and an address',
      ['replicas=3', 'periodSeconds=30', 'image=r.example/t:1', 'prometheusUrl=https://p.example'],
      { replicas: 3, periodSeconds: 30, image: 'r.example/t:1', prometheusUrl: 'https://p.example' },
    ],
    [
      'a cluster of 1.20, whose budgets are policy/v1beta1',
      ['--kube-version 1.20.0'],
      { disruptionBudgets: 'policy/v1beta1' },
    ],
  ])('template renders %s', async (_, set, options) => {
    const namespace = 'scaling'
    const rendered = parsed(await template(['createNamespace=true', ...set], namespace))
    expect(rendered).toEqual(byName(operatorObjects({ ...options, namespace })))
  })

  it('template puts more into the spec of pods', async () => {
    const rendered = await template(['podSpec.imagePullSecrets[0].name=registry'])
    const deployment = (parsed(rendered) as Record<string, unknown>)['Deployment trimtab-system/trimtab-updater']
    const imagePullSecrets = [{ name: 'registry' }]
    expect(deployment).toMatchObject({ spec: { template: { spec: { imagePullSecrets, containers: [{}] } } } })
  })

  it.each([
    ['replicas=0', /replicas/],
    ['prometheusUrl=prometheus:9090', /prometheusUrl/],
    ['replica=3', /replica/],
  ])('template refuses %s', async (value, message) => {
    await expect(template([value])).rejects.toThrow(message)
  })
})

import { readFileSync } from 'node:fs'
import { PODS } from '@trimtab/kubernetes'
import { describe, expect, it } from 'vitest'
import { DEFAULT_IMAGE, type InstallOptions, type ManifestObject, operatorObjects } from '../../src/manifests/index.js'

const named = ({ kind, metadata }: ManifestObject): string => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`
const names = (options?: InstallOptions): string[] => operatorObjects(options).map(named)

interface PodTemplate {
  readonly spec: {
    readonly replicas: number
    readonly template: {
      readonly spec: { readonly containers: readonly Record<string, unknown>[] } & Record<string, unknown>
    }
  }
}
const deployments = (options?: InstallOptions): PodTemplate[] =>
  operatorObjects(options).filter(({ kind }) => kind === 'Deployment') as unknown as PodTemplate[]

describe('the objects of an installation', () => {
  it('have names of their own', () => {
    const all = names({ monitoring: true, watchedNamespaces: ['shop', 'bank'] })
    expect(new Set(all).size).toBe(all.length)
  })

  it('leave out what acts when only the recommender is wanted', () => {
    const only = names({ parts: ['recommender'] })
    expect(only.filter((name) => /updater|admission|Webhook/.test(name))).toEqual([])
    expect(names()).toEqual(expect.arrayContaining(only))
  })

  it('bind a part in the watched namespaces alone, and in its own', () => {
    const bound = names({ watchedNamespaces: ['shop', 'bank'] }).filter((name) => /Binding .*updater/.test(name))
    expect(bound).toEqual([
      'RoleBinding shop/trimtab-updater',
      'RoleBinding bank/trimtab-updater',
      'ClusterRoleBinding /trimtab-updater-cluster', // nodes have no namespace
      'RoleBinding trimtab-system/trimtab-updater-own',
    ])
  })

  it('start pods that the restricted PodSecurity standard allows', () => {
    for (const { spec } of deployments()) {
      const { containers, securityContext, ...pod } = spec.template.spec
      expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
      expect(Object.keys(pod).filter((field) => /host|volumes|initContainers/.test(field))).toEqual([])
      for (const container of containers)
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
    }
  })

  it('give every part its namespace and image, and several pods', () => {
    const all = deployments({ namespace: 'scaling', image: 'registry.example/trimtab:1', replicas: 3 })
    expect(all.map(({ spec }) => [spec.replicas, spec.template.spec.containers[0]!.image])).toEqual(
      Array(3).fill([3, 'registry.example/trimtab:1']),
    )
    expect(names({ namespace: 'scaling' }).filter((name) => name.includes('trimtab-system'))).toEqual([])
  })

  it('never show the webhook pods of the operator itself, nor of the cluster', () => {
    const [configuration] = operatorObjects({ namespace: 'scaling' }).filter(({ kind }) => kind.includes('Webhook'))
    const { webhooks } = configuration as unknown as { webhooks: Record<string, unknown>[] }
    expect(webhooks).toMatchObject([
      {
        failurePolicy: 'Ignore',
        namespaceSelector: { matchExpressions: [{ operator: 'NotIn', values: ['kube-system', 'scaling'] }] },
        rules: [{ operations: ['CREATE'], apiGroups: [''], resources: [PODS.plural] }],
      },
    ])
  })

  it.each<[string, InstallOptions, RegExp]>([
    ["the cluster's own namespace", { namespace: 'kube-system' }, /belongs to the cluster/],
    ['a namespace that is none', { watchedNamespaces: ['Shop'] }, /namespace must be lower case .* got "Shop"/],
    ['an image with spaces', { image: 'a b' }, /image must be a name without spaces/],
    ['a Prometheus that is no URL', { prometheusUrl: 'prometheus:9090' }, /must be an http\(s\) URL/],
    ['no pods', { replicas: 0 }, /replicas must be a whole number from 1 on, got 0/],
    ['half a period', { periodSeconds: 0.5 }, /periodSeconds must be a whole number/],
    ['no parts', { parts: [] }, /parts must name at least one/],
  ])('are refused for %s', (_, options, message) => {
    expect(() => operatorObjects(options)).toThrow(
      expect.objectContaining({ code: 'config_invalid', message: expect.stringMatching(message) }),
    )
  })

  it('say every problem at once', () => {
    expect(() => operatorObjects({ replicas: -1, image: '' })).toThrow(/image.*; replicas/)
  })

  it('name the image by the version of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(DEFAULT_IMAGE).toBe(`trimtab-operator:${version}`)
  })
})

import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { openStandIn, temporaryFile } from '../../../adapters/kubernetes/test/opened.js'
import { type InstallOptions, operatorObjects } from '../../../adapters/operator/src/manifests/index.js'
import { main } from '../src/main.js'
import { createFakeHost } from './fake-host.js'

async function operator(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const host = createFakeHost()
  const code = await main(['operator', ...argv], host)
  return { code, out: host.out(), err: host.err() }
}

const documents = (yaml: string): unknown[] => parseAllDocuments(yaml).map((document) => document.toJS())

describe('trimtab operator install --dry-run', () => {
  it('prints the objects, and asks no cluster', async () => {
    const { code, out, err } = await operator('install', '--dry-run', '--kubeconfig', '/nowhere')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(documents(out)).toEqual(operatorObjects())
  })

  it('prints what the options say', async () => {
    const options = ['--only', 'recommend', '--namespace', 'scaling', '--image', 'r.example/t:1', '--replicas', '3']
    const more = ['--prometheus', 'https://p.example', '--period', '30', '--watch-namespace', 'shop', '--monitoring']
    const { out } = await operator('install', '--dry-run', ...options, ...more)
    const expected: InstallOptions = {
      parts: ['recommender'],
      namespace: 'scaling',
      image: 'r.example/t:1',
      replicas: 3,
      prometheusUrl: 'https://p.example',
      periodSeconds: 30,
      watchedNamespaces: ['shop'],
      monitoring: true,
    }
    expect(documents(out)).toEqual(operatorObjects(expected))
  })

  it.each([
    [['--namespace', 'kube-system'], /kube-system belongs to the cluster/],
    [['--prometheus', 'prometheus:9090'], /must be an http\(s\) URL/],
    [['--only', 'update'], /--only must be one of recommend/],
  ])('%s is a bad call', async (options, message) => {
    const { code, out, err } = await operator('install', '--dry-run', ...options)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(message)
  })
})

describe('trimtab operator install and uninstall', () => {
  it('brings the operator into a cluster and takes it out, saying each object', async () => {
    const standIn = await openStandIn()
    const kubeconfig = ['--kubeconfig', await temporaryFile(standIn.kubeconfig())]
    const installed = await operator('install', ...kubeconfig)
    expect(installed.out.trim().split('\n')).toHaveLength(operatorObjects().length)
    expect(installed.out).toContain('deployment.apps/trimtab-recommender in trimtab-system applied\n')
    const would = await operator('uninstall', '--dry-run', ...kubeconfig)
    expect(would.out).toContain('deployment.apps/trimtab-recommender in trimtab-system would be deleted\n')
    const uninstalled = await operator('uninstall', ...kubeconfig)
    expect(uninstalled.out).toBe(would.out.replaceAll('would be deleted', 'deleted'))
    expect(await operator('uninstall', ...kubeconfig)).toEqual({
      code: 0,
      out: 'there is nothing of the operator\n',
      err: '',
    })
  })

  it('says in a line that the cluster cannot be reached, or that a kubeconfig is missing', async () => {
    const standIn = await openStandIn()
    const gone = await temporaryFile(standIn.kubeconfig().replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1'))
    for (const kubeconfig of [gone, '/nowhere/config']) {
      const { code, err } = await operator('uninstall', '--kubeconfig', kubeconfig)
      expect(code).toBe(kubeconfig === gone ? 1 : 2)
      expect(err).toMatch(/^trimtab: [^\n]*\n/)
    }
  })
})

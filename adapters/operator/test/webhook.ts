// The webhook, registered with the stand-in.
import { type KubernetesObject, resource } from '@trimtab/kubernetes'
import { onTestFinished } from 'vitest'
import { AdmissionServer, type OperatorContext } from '../src/index.js'
import type { TestCluster } from './cluster.js'

interface Configuration extends KubernetesObject {
  readonly webhooks: readonly {
    readonly name: string
    readonly clientConfig: { readonly url?: string; readonly caBundle?: string }
  }[]
}

export const CONFIGURATIONS = resource<Configuration>(
  'admissionregistration.k8s.io/v1',
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
  false,
)
export const CONFIGURATION = { name: 'trimtab-admission' }

/** Where the API server asks: known by a port when the server listens. */
const webhookAt = (url: string) => ({
  name: 'pods.trimtab.dev',
  clientConfig: { url },
  failurePolicy: 'Ignore',
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
})

/** Serves, and is asked about every new pod. */
export async function openWebhook({ client }: TestCluster, context: OperatorContext): Promise<AdmissionServer> {
  await client.create(CONFIGURATIONS, { metadata: CONFIGURATION, webhooks: [webhookAt('https://127.0.0.1:1/mutate')] })
  const server = openServer(context, 'a')
  const { signal } = new AbortController()
  await server.step(signal)
  await client.merge(CONFIGURATIONS, CONFIGURATION, {
    webhooks: [webhookAt(`https://127.0.0.1:${server.port}/mutate`)],
  })
  await server.step(signal) // the list of webhooks was replaced, with what was known of their authority
  return server
}

export function openServer(context: OperatorContext, identity: string): AdmissionServer {
  const server = new AdmissionServer(context, { port: 0, identity, hosts: ['127.0.0.1'] })
  onTestFinished(() => server.close())
  return server
}

import { type KubernetesClient, type KubernetesObject, pathOfObject, resource } from '@trimtab/kubernetes'
import { nameOf } from '../names.js'

interface WebhookConfiguration extends KubernetesObject {
  readonly webhooks?: readonly { readonly name: string; readonly clientConfig?: { readonly caBundle?: string } }[]
}

const CONFIGURATIONS = resource<WebhookConfiguration>(
  'admissionregistration.k8s.io/v1',
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
  false,
)

/**
 * Makes the API server believe the authorities of `bundle` (PEM), in the configuration that was installed.
 * @returns whether that was new to it
 * @throws as every method of the client
 */
export async function publishAuthorities(
  client: KubernetesClient,
  bundle: string,
  signal: AbortSignal,
): Promise<boolean> {
  const ref = { name: nameOf('admission') }
  const { webhooks = [] } = await client.get(CONFIGURATIONS, ref, { signal })
  const value = Buffer.from(bundle).toString('base64')
  const changes = webhooks.flatMap(({ name, clientConfig }, index) =>
    clientConfig?.caBundle === value
      ? []
      : [
          { op: 'test', path: `/webhooks/${index}/name`, value: name },
          { op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value },
        ],
  )
  if (changes.length === 0) return false
  const path = pathOfObject(CONFIGURATIONS, ref)
  const query = { fieldManager: nameOf('admission') }
  await client.request({
    method: 'PATCH',
    path,
    query,
    body: changes,
    contentType: 'application/json-patch+json',
    signal,
  })
  return true
}

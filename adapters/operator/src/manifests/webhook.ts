import { nameOf, WEBHOOK_PATH } from '../names.js'
import { type ManifestObject, manifest } from './object.js'
import type { InstallSettings } from './options.js'

/**
 * Shows new pods to the webhook, and goes on without it where it does not answer. The webhook itself writes into it by which authority it is
 * known. Pods that the cluster and the operator need to start are left out (by the label that namespaces have from 1.21 on).
 */
export function webhookConfiguration({ namespace }: InstallSettings): ManifestObject {
  const name = nameOf('admission')
  const webhook = {
    name: 'pods.trimtab.dev',
    admissionReviewVersions: ['v1'],
    clientConfig: { service: { name, namespace, path: WEBHOOK_PATH, port: 443 } },
    failurePolicy: 'Ignore',
    sideEffects: 'None',
    timeoutSeconds: 3,
    namespaceSelector: {
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', namespace] }],
    },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: 'Namespaced' }],
  }
  return manifest(
    'admissionregistration.k8s.io/v1',
    'MutatingWebhookConfiguration',
    { name, part: 'admission' },
    { webhooks: [webhook] },
  )
}

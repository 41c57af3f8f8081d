// Objects that tests ask for.
import { type ApiResource, type KubernetesObject, resource, type StringMap, type WorkloadObject } from '../src/index.js'

export interface ConfigMap extends KubernetesObject {
  readonly data?: StringMap
}

export const CONFIG_MAPS: ApiResource<ConfigMap> = resource('v1', 'ConfigMap', 'configmaps')

export const configMap = (
  namespace: string,
  name: string,
  data: StringMap = {},
  labels: StringMap = {},
): ConfigMap => ({
  metadata: { namespace, name, labels },
  data,
})

/** Pods that do nothing, and ask for little. */
export function deployment(
  namespace: string,
  name: string,
  replicas: number,
  image = 'registry.k8s.io/pause:3.9',
): WorkloadObject {
  const labels = { app: name }
  const resources = { requests: { cpu: '10m', memory: '16Mi' }, limits: { cpu: '100m', memory: '64Mi' } }
  const spec = { containers: [{ name: 'main', image, resources }], terminationGracePeriodSeconds: 1 }
  return {
    metadata: { namespace, name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  }
}

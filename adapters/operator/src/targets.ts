import { AdapterError } from '@trimtab/core'
import {
  type ApiResource,
  type CallOptions,
  DEPLOYMENTS,
  hasCode,
  type KubernetesClient,
  type KubernetesObject,
  REPLICA_SETS,
  resource,
} from '@trimtab/kubernetes'

const WELL_KNOWN: readonly ApiResource<KubernetesObject>[] = [
  DEPLOYMENTS,
  REPLICA_SETS,
  resource('apps/v1', 'StatefulSet', 'statefulsets'),
]

/** Where workloads of any kind live in the API; what is not well known is asked once. */
export class Targets {
  readonly #client: KubernetesClient
  readonly #known = new Map(WELL_KNOWN.map((of) => [`${of.apiVersion} ${of.kind}`, of]))

  constructor(client: KubernetesClient) {
    this.#client = client
  }

  /**
   * The resource of a `scaleTargetRef`.
   * @throws {AdapterError} `target_unknown` where the cluster has no such kind; as every method of the client
   */
  async resourceOf(
    { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
    options: CallOptions = {},
  ): Promise<ApiResource<KubernetesObject>> {
    const key = `${apiVersion} ${kind}`
    const known = this.#known.get(key)
    if (known) return known
    const plural = await this.#pluralOf(apiVersion, kind, options)
    const found = resource<KubernetesObject>(apiVersion, kind, plural)
    this.#known.set(key, found)
    return found
  }

  async #pluralOf(apiVersion: string, kind: string, { signal }: CallOptions): Promise<string> {
    const path = `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}`
    const unknown = (cause?: unknown): AdapterError => {
      const way = 'check apiVersion and kind of spec.scaleTargetRef'
      return new AdapterError('target_unknown', `the cluster has no ${kind} in ${apiVersion}: ${way}`, { cause })
    }
    try {
      const { resources } = await this.#client.request<{ resources: { name: string; kind: string }[] }>({
        method: 'GET',
        path,
        signal,
      })
      const found = resources.find((candidate) => candidate.kind === kind && !candidate.name.includes('/'))
      if (!found) throw unknown()
      return found.name
    } catch (error) {
      throw hasCode(error, 'api_not_found') ? unknown(error) : error
    }
  }
}

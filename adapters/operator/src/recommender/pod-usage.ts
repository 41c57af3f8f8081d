import type { Clock } from '@trimtab/core'
import {
  type KubernetesClient,
  type KubernetesObject,
  parseQuantity,
  resource,
  type StringMap,
} from '@trimtab/kubernetes'
import type { PrometheusClient } from '@trimtab/prometheus'

/** What one container uses; NaN: not measured. */
export interface ContainerUsage {
  readonly cores: number
  readonly memoryMiB: number
}

/** Uses of containers by `namespace/pod/container`. What is not in it was not measured. */
export type UsageTable = ReadonlyMap<string, ContainerUsage>

/** Tells what all containers use, at once for the whole cluster. */
export interface UsageSource {
  /** @throws whatever the source cannot answer for */
  read(signal: AbortSignal): Promise<UsageTable>
}

interface PodMetrics extends KubernetesObject {
  readonly timestamp: string
  readonly containers: readonly { readonly name: string; readonly usage: StringMap }[]
}

/** When a sample's timestamp was first seen, by our clock. */
interface Sighting {
  readonly timestamp: string
  readonly atMs: number
}

const POD_METRICS = resource<PodMetrics>('metrics.k8s.io/v1beta1', 'PodMetrics', 'pods')
const MIB = 2 ** 20
const MAX_AGE_MS = 120_000

/**
 * The metrics API: one list for the whole cluster. A sample is as old as its timestamp has stood still by our clock, so that clocks which
 * differ do no harm; after two minutes it is missing.
 */
export class MetricsApiUsage implements UsageSource {
  readonly #client: KubernetesClient
  readonly #clock: Clock
  #seen = new Map<string, Sighting>()

  /** @param clock  ms */
  constructor(client: KubernetesClient, clock: Clock) {
    this.#client = client
    this.#clock = clock
  }

  async read(signal: AbortSignal): Promise<UsageTable> {
    const { items } = await this.#client.list(POD_METRICS, { signal })
    const now = this.#clock.now()
    const usage = new Map<string, ContainerUsage>()
    const seen = new Map<string, Sighting>()
    for (const { metadata, timestamp, containers } of items) {
      const pod = `${metadata?.namespace}/${metadata?.name}`
      const before = this.#seen.get(pod)
      const sample = before?.timestamp === timestamp ? before : { timestamp, atMs: now }
      seen.set(pod, sample)
      if (now - sample.atMs > MAX_AGE_MS) continue
      for (const { name, usage: of } of containers)
        usage.set(`${pod}/${name}`, { cores: amountOf(of.cpu), memoryMiB: amountOf(of.memory) / MIB })
    }
    this.#seen = seen
    return usage
  }
}

function amountOf(quantity: string | undefined): number {
  try {
    return quantity === undefined ? Number.NaN : parseQuantity(quantity)
  } catch {
    return Number.NaN // somebody's own metrics server: not measured
  }
}

/** What the kubelet's cAdvisor tells Prometheus, in its usual names. */
export const CADVISOR_QUERIES = {
  cores:
    'sum by (namespace, pod, container) (rate(container_cpu_usage_seconds_total{container!="",container!="POD"}[2m]))',
  memoryBytes:
    'max by (namespace, pod, container) (max_over_time(container_memory_working_set_bytes{container!="",container!="POD"}[2m]))',
} as const

/** Prometheus, where there is no metrics API or its samples are too coarse: two queries for the whole cluster. */
export class PrometheusUsage implements UsageSource {
  readonly #client: Pick<PrometheusClient, 'query'>
  readonly #queries: Readonly<Record<keyof typeof CADVISOR_QUERIES, string>>
  readonly #timeSeconds: (() => number) | undefined

  /**
   * @param timeSeconds  when to ask about; default: the server's now
   * @param queries  each gives a series by `namespace`, `pod` and `container`
   */
  constructor(
    client: Pick<PrometheusClient, 'query'>,
    timeSeconds?: () => number,
    queries: Readonly<Record<keyof typeof CADVISOR_QUERIES, string>> = CADVISOR_QUERIES,
  ) {
    this.#client = client
    this.#timeSeconds = timeSeconds
    this.#queries = queries
  }

  async read(signal: AbortSignal): Promise<UsageTable> {
    const options = { timeSeconds: this.#timeSeconds?.(), signal }
    const [cores, memory] = await Promise.all([
      this.#client.query(this.#queries.cores, options),
      this.#client.query(this.#queries.memoryBytes, options),
    ])
    const usage = new Map<string, { cores: number; memoryMiB: number }>()
    const of = ({
      namespace,
      pod,
      container,
    }: Readonly<Record<string, string>>): { cores: number; memoryMiB: number } => {
      const key = `${namespace}/${pod}/${container}`
      const known = usage.get(key) ?? { cores: Number.NaN, memoryMiB: Number.NaN }
      usage.set(key, known)
      return known
    }
    for (const { labels, value = Number.NaN } of cores.samples) of(labels).cores = value
    for (const { labels, value = Number.NaN } of memory.samples) of(labels).memoryMiB = value / MIB
    return usage
  }
}

import { Keys } from './json/keys.js'

/**
 * The attributes of a process or resource that say who and where it is: OpenTelemetry's names, those of the Jaeger
 * clients, and what agents and mesh proxies write. In each list an earlier one is the better witness.
 */
const INSTANCE = [
  'k8s.pod.name',
  'kubernetes.pod_name',
  'kubernetes.pod.name',
  'k8s.pod.uid',
  'pod.name',
  'pod_name',
  'podName',
  'pod',
  'service.instance.id',
  'container.name',
  'container.id',
  'hostname',
  'host.name',
  'ip',
  'host.ip',
  'net.host.ip',
]
const HOST = ['k8s.node.name', 'node_name', 'host.id', 'host.name', 'hostname', 'ip', 'host.ip', 'net.host.ip']
const SERVICE = ['service.name']

const KEYS = [...new Set([...SERVICE, ...INSTANCE, ...HOST])]

/** The attributes worth reading; everything else about a process is skipped. */
export const IDENTITY_KEYS: Keys = new Keys(KEYS)

const rankIn = (list: readonly string[]): readonly number[] =>
  KEYS.map((key) => (list.includes(key) ? list.indexOf(key) : Number.POSITIVE_INFINITY))
const INSTANCE_RANK = rankIn(INSTANCE)
const HOST_RANK = rankIn(HOST)

/** Who ran a span: numbers of `Names`, 0 where unknown. */
export interface Process {
  readonly service: number
  readonly instance: number
  readonly host: number
}

/** Gathers the attributes of one process, in any order, into who it is. */
export class Identity {
  service = 0
  #instance = 0
  #host = 0
  #instanceRank = Number.POSITIVE_INFINITY
  #hostRank = Number.POSITIVE_INFINITY

  /** Takes the attribute whose place in `IDENTITY_KEYS` is `key`; `value` is a number of `Names`. */
  add(key: number, value: number): void {
    if (value === 0) return
    if (KEYS[key] === SERVICE[0]) this.service = value
    const instanceRank = INSTANCE_RANK[key]!
    if (instanceRank < this.#instanceRank) {
      this.#instanceRank = instanceRank
      this.#instance = value
    }
    const hostRank = HOST_RANK[key]!
    if (hostRank < this.#hostRank) {
      this.#hostRank = hostRank
      this.#host = value
    }
  }

  get process(): Process {
    return { service: this.service, instance: this.#instance, host: this.#host }
  }
}

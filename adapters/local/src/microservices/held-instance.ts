import { kernelFiles, readTaskTimes } from '@trimtab/linux'
import { type InstanceTelemetry, RESOURCES, type ResourceVector, vectorOf } from '@trimtab/tasks/microservices'
import type { ProcessHold } from './process-limiter.js'
import type { ControlledService, ServiceInstance } from './service.js'
import type { VisitTally } from './trace-tally.js'

/** A Node process has one thread that works: more cores than that buy it nothing. */
export const WORKERS = 1
const MB = 1e6

/** What only grows; NaN where nobody counts. */
interface Totals {
  readonly cpuSeconds: number
  readonly diskBytes: number
  readonly networkBytes: number
  /** Of the busiest of its ways. */
  readonly linkBusyMs: number
  /** Its first thread: running, or ready to. */
  readonly readySeconds: number
}

/** An instance under control: what it is granted, and what its sensors count. */
export class HeldInstance {
  readonly service: ControlledService
  readonly instance: ServiceInstance
  readonly hold: ProcessHold
  state: InstanceTelemetry['state'] = 'serving'
  grant: ResourceVector
  #totals: Totals

  constructor(
    service: ControlledService,
    { instance, hold, grant }: Pick<HeldInstance, 'instance' | 'hold' | 'grant'>,
  ) {
    this.service = service
    this.instance = instance
    this.hold = hold
    this.grant = grant
    this.#totals = this.#read()
  }

  /** Holds it, and the ways to it, to a grant. @throws {AdapterError} as the host says: it may have ended */
  async set(grant: ResourceVector): Promise<void> {
    await this.hold.set(grant)
    for (const proxy of this.service.proxies) proxy.bytesPerSecond = grant.network * MB
    this.grant = grant
  }

  /** What happened since this was last asked. @param visits  as spans say; undefined: there were none */
  take(seconds: number, visits: VisitTally | undefined): InstanceTelemetry {
    const [before, now] = [this.#totals, this.#read()]
    this.#totals = now
    const rate = (name: keyof Totals): number => (now[name] - before[name]) / seconds
    const { grant, state, instance } = this
    const { arrivals = 0, sojournNs = Number.NaN, wayNs = 0, mix = new Float64Array(0) } = visits ?? {}
    const used = {
      ...{ cpu: rate('cpuSeconds'), memoryBandwidth: Number.NaN, llc: Number.NaN },
      ...{ diskIo: rate('diskBytes') / MB, network: rate('networkBytes') / MB },
    }
    const parts: ResourceVector = {
      ...vectorOf(RESOURCES.map((resource) => used[resource] / grant[resource])),
      network: rate('linkBusyMs') / 1000, // part of the link's time, which others on it lengthen
    }
    return {
      ...{ name: instance.name, service: this.service.name, replica: instance.replica, state, workers: WORKERS },
      ...{ arrivals, served: arrivals, refused: Number.NaN, expired: Number.NaN, open: Number.NaN },
      mix: mix.map((count) => count / Math.max(1, arrivals)),
      meanWaiting: wayNs / 1e9 / seconds,
      busy01: Math.min(1, rate('readySeconds')),
      meanWaitMs: arrivals > 0 ? wayNs / 1e6 / arrivals : Number.NaN,
      meanSojournMs: sojournNs / 1e6 / arrivals,
      ...{ grant, used, utilisation01: vectorOf(RESOURCES.map((resource) => Math.min(1, parts[resource]))) },
    }
  }

  #read(): Totals {
    const { pid } = this.instance
    const ways = this.service.proxies.map((proxy) => proxy.measure())
    const isCounted = ways.length > 0 // else nobody stands on the ways to it
    const first = readTaskTimes(kernelFiles, '/proc', pid).get(String(pid))
    return {
      ...this.hold.used,
      networkBytes: isCounted ? ways.reduce((sum, { bytes }) => sum + bytes, 0) : Number.NaN,
      linkBusyMs: isCounted ? Math.max(...ways.map(({ busyMs }) => busyMs)) : Number.NaN,
      readySeconds: first ? (first.runNanoseconds + first.waitNanoseconds) / 1e9 : Number.NaN,
    }
  }
}

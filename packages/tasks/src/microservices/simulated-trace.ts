import { ERROR, FOLLOWS_FROM, KINDS, type Names, Repairs, type Trace } from '@trimtab/trace'
import type { Instance } from './instance.js'
import type { Plan } from './plan.js'
import { ENDED, type RequestPool } from './request-pool.js'

const SERVER = KINDS.indexOf('server')
const CONSUMER = KINDS.indexOf('consumer')
const SPAN_DIGITS = 4 // of the visit's number within its request

/** What names a plan's and an instance's strings have in a reading. */
export interface TraceNames {
  readonly names: Names
  /** [N] of each plan. */
  readonly operation: readonly Int32Array[]
  /** [S] */
  readonly service: Int32Array
  /** Of each instance. */
  readonly instance: readonly number[]
}

/** The trace of a request that has ended wholly, background work too: spans in the order of its plan. */
export class SimulatedTrace implements Trace {
  readonly traceId: string
  readonly originUnixNs: bigint
  readonly size: number
  readonly startNs: Float64Array
  readonly endNs: Float64Array
  readonly parent: Int32Array
  readonly root = 0
  readonly names: Names
  readonly service: Int32Array
  readonly operation: Int32Array
  readonly instance: Int32Array
  readonly host: Int32Array
  readonly kind: Uint8Array
  readonly flags: Uint8Array
  readonly repairs: Repairs = new Repairs()

  constructor(pool: RequestPool, request: number, plan: Plan, instances: readonly Instance[], names: TraceNames) {
    const first = pool.first[request]!
    const type = pool.type[request]!
    const row = new Int32Array(plan.size).fill(-1)
    let size = 0
    for (let visit = 0; visit < plan.size; visit++) if (pool.phase[first + visit] === ENDED) row[visit] = size++
    const originUs = Math.floor(pool.startUs[first]!)
    this.traceId = pool.number[request]!.toString(16).padStart(16, '0')
    this.originUnixNs = BigInt(originUs) * 1000n
    this.size = size
    this.names = names.names
    this.startNs = new Float64Array(size)
    this.endNs = new Float64Array(size)
    this.parent = new Int32Array(size)
    this.service = new Int32Array(size)
    this.operation = new Int32Array(size)
    this.instance = new Int32Array(size)
    this.host = new Int32Array(size)
    this.kind = new Uint8Array(size).fill(SERVER)
    this.flags = new Uint8Array(size)
    for (let visit = 0; visit < plan.size; visit++) {
      const to = row[visit]!
      if (to < 0) continue
      const from = first + visit
      const instance = pool.instance[from]!
      // rounding keeps the order of moments, so spans that nest still do
      this.startNs[to] = Math.round((pool.startUs[from]! - originUs) * 1000)
      this.endNs[to] = Math.round((pool.endUs[from]! - originUs) * 1000)
      this.parent[to] = visit === 0 ? -1 : row[plan.parent[visit]!]!
      this.service[to] = names.service[instances[instance]!.service]!
      this.operation[to] = names.operation[type]![visit]!
      this.instance[to] = names.instance[instance]!
      if (plan.background[visit]) this.kind[to] = CONSUMER
      this.flags[to] = (plan.background[visit] ? FOLLOWS_FROM : 0) | (pool.failed[from] ? ERROR : 0)
    }
  }

  spanId(row: number): string {
    return this.traceId.slice(SPAN_DIGITS) + (row + 1).toString(16).padStart(SPAN_DIGITS, '0')
  }
}

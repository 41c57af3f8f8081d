import * as abi from '../abi.js'
import { requireLength } from '../checks.js'
import type { ServeCore } from '../core.js'
import { ConfigError, Problems } from '../errors.js'
import { Arena } from '../memory/arena.js'
import { LARGEST_WORK, type WorkAgeingOptions, workAgeingOf } from './ageing.js'
import { ReadyQueue, type ReadyQueueOptions } from './ready-queue.js'

/** Requests in the order of arrival, N of them. */
export interface RequestColumns {
  /** [N] seconds, never falling. */
  readonly arrival: Float64Array
  /** [N] output tokens that the request really has. */
  readonly tokens: Float64Array
  /** [N] output tokens that the queue is told: a prediction, or `tokens` themselves for the oracle. */
  readonly estimate: Float64Array
  /** [N] whose request it is; matters with `fairness`. Default all 0. */
  readonly tenant?: Int32Array | undefined
}

/**
 * How a server takes requests.
 *
 *     none        one at a time
 *     dynamic     a batch starts when `maxBatchSize` wait or the oldest has waited for `batchWaitTimeout`; its members all
 *                 finish with its longest
 *     continuous  at every iteration: who is done leaves, who waits takes the place. An arrival goes to the server with the
 *                 fewest members and joins when that one's iteration ends
 */
export type Batching = 'none' | 'dynamic' | 'continuous'

/** The queue, the servers behind it, and how long they take. */
export interface ReplayOptions extends Omit<ReadyQueueOptions, 'capacity' | 'canAge'> {
  /** Ageing by work, in place of a slope; absent: none. Default absent. */
  readonly ageing?: WorkAgeingOptions | undefined
  /** Servers behind the one queue, up to 1024. Default 1. */
  readonly servers?: number
  /** Default `none`. */
  readonly batching?: Batching
  /** Most requests of a batch, up to 1024. Default 4. Not used by `none`. */
  readonly maxBatchSize?: number
  /** Seconds, of `dynamic`. Default 0: whoever waits when a server is free makes a batch. */
  readonly batchWaitTimeout?: number
  /** C: seconds that a request takes beside its tokens. Default 0.1. */
  readonly secondsPerRequest?: number
  /** K: seconds that a token takes in a batch of one. Default 0.02. */
  readonly secondsPerToken?: number
  /**
   * How many times as long a token takes in a batch of 1, 2, … `maxBatchSize`; or a number g: 1 + g · (size − 1). Default 0.
   * A request of t tokens takes C + K t seconds alone, a dynamic batch C + K · longest · slowdown(size); in a continuous
   * batch an iteration takes K · slowdown(size) and a request ⌈t + C / K⌉ iterations.
   */
  readonly batchSlowdown?: number | readonly number[]
}

/** When each of N requests was served, and how many passed it. */
export interface RequestTimes {
  /** [N] seconds at which service began and ended. */
  readonly start: Float64Array
  readonly finish: Float64Array
  /** [N] requests that arrived later and were dispatched earlier; those dispatched together don't count. */
  readonly bypasses: Int32Array
}

const BATCHINGS: Readonly<Record<Batching, number>> = {
  none: abi.REPLAY_NONE,
  dynamic: abi.REPLAY_DYNAMIC,
  continuous: abi.REPLAY_CONTINUOUS,
}
const NO_AGEING = { bypass: -1, longFactor: 1 }
const MOST = 1024 // servers, and requests of a batch

interface Service {
  readonly servers: number
  readonly batching: Batching
  readonly maxBatchSize: number
  readonly batchWaitTimeout: number
  readonly secondsPerRequest: number
  readonly secondsPerToken: number
  /** [maxBatchSize] */
  readonly slowdown: Float64Array
}

/** @throws {ConfigError} `config_invalid` with every problem */
function serviceOf(options: ReplayOptions): Service {
  const service = {
    servers: options.servers ?? 1,
    batching: options.batching ?? 'none',
    maxBatchSize: options.batching === undefined || options.batching === 'none' ? 1 : (options.maxBatchSize ?? 4),
    batchWaitTimeout: options.batchWaitTimeout ?? 0,
    secondsPerRequest: options.secondsPerRequest ?? 0.1,
    secondsPerToken: options.secondsPerToken ?? 0.02,
  }
  const problems = new Problems()
  const check = (name: keyof typeof service, holds: boolean, must: string): void =>
    problems.check(holds, `${name} must be ${must}, got ${service[name]}`)
  const isCountable = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= MOST
  const isAmount = (value: number): boolean => value >= 0 && value < Number.POSITIVE_INFINITY
  check('servers', isCountable(service.servers), `a whole number of 1 … ${MOST}`)
  check('batching', service.batching in BATCHINGS, 'none, dynamic or continuous')
  check('maxBatchSize', isCountable(service.maxBatchSize), `a whole number of 1 … ${MOST}`)
  check('batchWaitTimeout', isAmount(service.batchWaitTimeout), 'seconds, 0 or more')
  check('secondsPerRequest', isAmount(service.secondsPerRequest), 'seconds, 0 or more')
  check('secondsPerToken', isAmount(service.secondsPerToken) && service.secondsPerToken > 0, 'seconds, more than 0')
  const { batchSlowdown = 0 } = options
  const slowdown = Float64Array.from(
    { length: isCountable(service.maxBatchSize) ? service.maxBatchSize : 0 },
    (_, i) => (typeof batchSlowdown === 'number' ? 1 + batchSlowdown * i : (batchSlowdown[i] ?? Number.NaN)),
  )
  problems.check(
    slowdown.every((factor) => factor > 0 && factor < Number.POSITIVE_INFINITY),
    `batchSlowdown must give ${slowdown.length} finite factors above 0, one for each size of a batch, got ${slowdown}`,
  )
  problems.check(!(options.ageing && options.slope), 'ageing by work and a slope are two ways of ageing: give one')
  problems.throwIfAny('replayRequests')
  return { ...service, slowdown }
}

/** @throws {ConfigError} `size_mismatch`, `not_finite`, `config_invalid` */
function checkColumns({ arrival, tokens, estimate, tenant }: RequestColumns): void {
  for (const [name, column] of Object.entries({ tokens, estimate, ...(tenant && { tenant }) })) {
    requireLength(name, column, arrival.length)
  }
  for (const [name, column] of [
    ['tokens', tokens],
    ['estimate', estimate],
  ] as const) {
    const bad = column.findIndex((value) => !(value >= 0 && value < Number.POSITIVE_INFINITY))
    if (bad >= 0) {
      throw new ConfigError('not_finite', `${name}[${bad}] must be a finite number >= 0, got ${column[bad]}`)
    }
  }
  let before = Number.NEGATIVE_INFINITY
  for (let row = 0; row < arrival.length; row++) {
    const time = arrival[row]!
    if (!Number.isFinite(time)) {
      throw new ConfigError('not_finite', `arrival[${row}] must be a finite number of seconds, got ${time}`)
    }
    if (time < before) {
      throw new ConfigError(
        'config_invalid',
        `arrival[${row}] is ${time}, before the ${before} of the row above: sort the requests by arrival`,
      )
    }
    before = time
  }
}

/**
 * What would have happened to these requests: a discrete-event simulation in one call into the core, the same for the same input.
 *
 * Requests enter one `ReadyQueue` as they arrive, with their estimates; servers take them from it. All arrivals of a moment
 * come before what servers do at that moment. Source: dissertation 6.3.3 and B.3.
 *
 * @throws {ConfigError} `config_invalid`, `size_mismatch`, `not_finite`, `tenant_unknown`; {CoreError} `core_out_of_memory`
 * @example
 * const { start } = replayRequests(core, { arrival, tokens, estimate: tokens }, { order: 'exact', slope: 1 })
 * const waits = start.map((time, row) => time - arrival[row])
 */
export function replayRequests(core: ServeCore, columns: RequestColumns, options: ReplayOptions): RequestTimes {
  const service = serviceOf(options)
  checkColumns(columns)
  const { arrival, tokens, estimate, tenant } = columns
  const rows = arrival.length
  const { servers, maxBatchSize } = service
  const { bypass, longFactor } = options.ageing ? workAgeingOf(options.ageing) : NO_AGEING
  const byWork = options.ageing && { slope: 1, highest: LARGEST_WORK, canAge: true }
  const { exports } = core
  const queue = new ReadyQueue(core, { ...options, ...byWork, capacity: Math.max(rows, 1) })
  let arena: Arena | undefined
  try {
    arena = new Arena(core, exports.replay_bytes(rows, servers, maxBatchSize), 'replayRequests', {
      ...{ requests: rows, servers, maxBatchSize },
    })
    const block = arena.pointer
    exports.replay_create(block, rows, servers, maxBatchSize)
    const { buffer } = core.memory
    const at = (which: number): number => exports.replay_column(block, which)
    const numbers = (which: number, length = rows): Float64Array => new Float64Array(buffer, at(which), length)
    numbers(abi.REPLAY_ARRIVAL).set(arrival)
    numbers(abi.REPLAY_TOKENS).set(tokens)
    numbers(abi.REPLAY_ESTIMATE).set(estimate)
    numbers(abi.REPLAY_SLOWDOWN, maxBatchSize + 1).set(service.slowdown, 1)
    if (tenant) new Int32Array(buffer, at(abi.REPLAY_TENANT), rows).set(tenant)
    const status = exports.replay_run(
      block,
      queue.pointer,
      BATCHINGS[service.batching],
      service.batchWaitTimeout,
      service.secondsPerRequest,
      service.secondsPerToken,
      bypass,
      longFactor,
    )
    if (status < 0) throw refusal(status, tenant, queue.options.tenants)
    return {
      start: numbers(abi.REPLAY_START).slice(),
      finish: numbers(abi.REPLAY_FINISH).slice(),
      bypasses: new Int32Array(buffer, at(abi.REPLAY_BYPASSES), rows).slice(),
    }
  } finally {
    arena?.dispose()
    queue.dispose()
  }
}

/** Why the queue did not take a row. */
function refusal(status: number, tenant: Int32Array | undefined, tenants: number): ConfigError {
  if (status !== abi.OUT_OF_RANGE) {
    return new ConfigError('not_finite', 'arrival · slope and the estimates with their fairness must be finite')
  }
  const row = tenant?.findIndex((value) => !(value >= 0 && value < tenants)) ?? -1
  return new ConfigError(
    'tenant_unknown',
    `tenant[${row}] must be of 0 … ${tenants - 1}, got ${tenant?.[row]} (set tenants to as many as there are)`,
  )
}

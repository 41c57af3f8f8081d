// The replay as one would tell it: the waiting are a list that is searched anew each time, and time goes step by step, in
// continuous batching iteration by iteration. Slow, and independent of the kernel.
import { WorkAgeing } from '../../src/queue/ageing.js'

export interface SlowRequest {
  readonly arrival: number
  readonly tokens: number
  readonly estimate: number
}

export interface SlowOptions {
  readonly order: 'fifo' | 'exact'
  readonly slope: number
  /** Ageing by work instead of the slope. */
  readonly bypass?: number | undefined
  readonly servers: number
  readonly batching: 'none' | 'dynamic' | 'continuous'
  readonly maxBatchSize: number
  readonly batchWaitSeconds: number
  readonly secondsPerToken: number
  readonly secondsPerRequest: number
  /** How much longer a token takes in a batch of so many. */
  slowdown(requests: number): number
}

/** Who waits, whatever serves them: requests leave by the smallest key. */
class Line {
  readonly start: number[]
  readonly #requests: readonly SlowRequest[]
  readonly #options: SlowOptions
  readonly #ageing: WorkAgeing
  readonly #waiting: { readonly request: number; readonly place: number; key: number }[] = []
  #arrived = 0

  constructor(requests: readonly SlowRequest[], options: SlowOptions) {
    this.#requests = requests
    this.#options = options
    this.#ageing = new WorkAgeing({ bypass: options.bypass ?? 0 })
    this.start = requests.map(() => Number.NaN)
  }

  get length(): number {
    return this.#waiting.length
  }

  get nextArrival(): number {
    return this.#requests[this.#arrived]?.arrival ?? Number.POSITIVE_INFINITY
  }

  get oldestArrival(): number {
    return Math.min(...this.#waiting.map(({ request }) => this.#requests[request]!.arrival))
  }

  /** Everybody who has come by `now` enters; the number of them. */
  admit(now: number): number {
    const before = this.#arrived
    for (; this.nextArrival <= now; this.#arrived++) {
      const { arrival, estimate } = this.#requests[this.#arrived]!
      const { order, slope, bypass } = this.#options
      const hasGrown = bypass !== undefined && this.#ageing.enter(estimate)
      const place = bypass === undefined ? slope * arrival : this.#ageing.arrivedTokens
      const key = order === 'fifo' ? this.#arrived : place + this.#weightOf(estimate)
      this.#waiting.push({ request: this.#arrived, place, key })
      if (hasGrown && order !== 'fifo') {
        for (const one of this.#waiting) one.key = one.place + this.#weightOf(this.#requests[one.request]!.estimate)
      }
    }
    return this.#arrived - before
  }

  #weightOf(estimate: number): number {
    return this.#options.bypass === undefined ? estimate : this.#ageing.allowance(estimate)
  }

  take(now: number): number {
    const next = this.#waiting.reduce((a, b) => (b.key < a.key ? b : a))
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    if (this.#options.bypass !== undefined) this.#ageing.leave(this.#requests[next.request]!.estimate)
    this.start[next.request] = now
    return next.request
  }
}

export interface SlowTimes {
  readonly start: readonly number[]
  readonly finish: readonly number[]
}

export const slowReplay = (requests: readonly SlowRequest[], options: SlowOptions): SlowTimes =>
  options.batching === 'continuous' ? serveByIterations(requests, options) : serveByBatches(requests, options)

/** A batch ends as a whole; without batching it is one request. */
function serveByBatches(requests: readonly SlowRequest[], options: SlowOptions): SlowTimes {
  const { batching, batchWaitSeconds, secondsPerToken, secondsPerRequest, slowdown } = options
  const most = batching === 'none' ? 1 : options.maxBatchSize
  const line = new Line(requests, options)
  const finish = requests.map(() => Number.NaN)
  const busyUntil = Array.from({ length: options.servers }, () => Number.NEGATIVE_INFINITY)
  let now = 0
  while (finish.some(Number.isNaN)) {
    const isIdle = busyUntil.some((end) => end <= now)
    const due = isIdle && line.length > 0 ? line.oldestArrival + batchWaitSeconds : Number.POSITIVE_INFINITY
    now = Math.min(line.nextArrival, due, ...busyUntil.filter((end) => end > now))
    line.admit(now)
    for (let server = 0; server < busyUntil.length; server++) {
      const isDue = line.length >= most || now >= line.oldestArrival + batchWaitSeconds
      if (busyUntil[server]! > now || line.length === 0 || !isDue) continue
      const batch = Array.from({ length: Math.min(most, line.length) }, () => line.take(now))
      const longest = Math.max(...batch.map((request) => requests[request]!.tokens))
      const end = now + secondsPerRequest + secondsPerToken * longest * slowdown(batch.length)
      busyUntil[server] = end
      for (const request of batch) finish[request] = end
    }
  }
  return { start: line.start, finish }
}

interface IteratingServer {
  members: { readonly request: number; left: number }[]
  /** Arrivals that were sent here and enter at its next boundary. */
  claims: number
  boundary: number
}

/** Each iteration gives every member a token; between two of them members leave and others come. */
function serveByIterations(requests: readonly SlowRequest[], options: SlowOptions): SlowTimes {
  const { maxBatchSize, secondsPerToken, secondsPerRequest, slowdown } = options
  const line = new Line(requests, options)
  const finish = requests.map(() => Number.NaN)
  const servers: IteratingServer[] = Array.from({ length: options.servers }, () => ({
    ...{ members: [], claims: 0, boundary: Number.POSITIVE_INFINITY },
  }))
  const loadOf = ({ members, claims }: IteratingServer) => members.length + claims
  while (finish.some(Number.isNaN)) {
    const now = Math.min(line.nextArrival, ...servers.map(({ boundary }) => boundary))
    for (let arrivals = line.admit(now); arrivals > 0; arrivals--) {
      const emptiest = servers.reduce((a, b) => (loadOf(b) < loadOf(a) ? b : a))
      if (loadOf(emptiest) >= maxBatchSize) continue
      emptiest.claims++
      if (emptiest.members.length === 0) emptiest.boundary = now
    }
    for (const server of servers) {
      if (server.boundary > now) continue
      for (const member of server.members) {
        member.left--
        if (member.left <= 0) finish[member.request] = now
      }
      server.members = server.members.filter(({ left }) => left > 0)
      server.claims = 0
      const claimed = servers.reduce((sum, { claims }) => sum + claims, 0)
      while (server.members.length < maxBatchSize && line.length > claimed) {
        const request = line.take(now)
        const work = requests[request]!.tokens + secondsPerRequest / secondsPerToken
        server.members.push({ request, left: Math.max(1, Math.ceil(work)) })
      }
      server.boundary =
        server.members.length > 0 ? now + secondsPerToken * slowdown(server.members.length) : Number.POSITIVE_INFINITY
    }
  }
  return { start: line.start, finish }
}

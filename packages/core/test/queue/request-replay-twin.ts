// The replay by its definition, slowly: every moment at which something may happen is looked at, in order.
import type { ReplayOptions, RequestColumns, RequestTimes } from '../../src/internal.js'
import { SlowQueue } from './ready-queue-twin.js'

interface Place {
  readonly row: number
  /** Iterations left (continuous). */
  left: number
}

interface Server {
  members: Place[]
  /** When what runs now ends. */
  until: number
  promised: number
  boundary: number
  steps: number
}

export function slowReplay(columns: RequestColumns, options: ReplayOptions): RequestTimes {
  const { arrival, tokens, estimate, tenant } = columns
  const rows = arrival.length
  const { servers: count = 1, batching = 'none', batchWaitTimeout = 0, batchSlowdown = 0 } = options
  const { secondsPerRequest: perRequest = 0.1, secondsPerToken: perToken = 0.02 } = options
  const most = batching === 'none' ? 1 : (options.maxBatchSize ?? 4)
  const slowdown = (size: number): number =>
    typeof batchSlowdown === 'number' ? 1 + batchSlowdown * (size - 1) : batchSlowdown[size - 1]!
  const queue = new SlowQueue({ ...options, capacity: rows })
  const start = new Float64Array(rows).fill(Number.NaN)
  const finish = new Float64Array(rows)
  const bypasses = new Int32Array(rows)
  const order: number[][] = []
  const servers: Server[] = Array.from({ length: count }, () => ({
    ...{ members: [], until: Number.POSITIVE_INFINITY, promised: 0, boundary: 0, steps: 0 },
  }))
  const leave = (row: number): void => queue.finish(tenant?.[row] ?? 0, estimate[row]!)
  const dispatch = (time: number, size: number): number[] => {
    const batch = Array.from({ length: size }, () => queue.pop())
    for (const row of batch) {
      start[row] = time
      bypasses[row] = order.flat().filter((other) => other > row).length
    }
    order.push(batch)
    return batch
  }
  const isIdle = (server: Server): boolean => server.until === Number.POSITIVE_INFINITY

  /** Static batches: who may start does, lower servers first; of those that may not, one waits for the oldest's deadline. */
  let forming: Server | undefined
  const serve = (server: Server, time: number): void => {
    for (const { row } of server.members) leave(row)
    server.members = []
    server.until = Number.POSITIVE_INFINITY
    if (forming === server) forming = undefined
    const ready = queue.waiting.length
    if (ready === 0) return
    const oldest = Math.min(...queue.waiting.map(({ ticket }) => ticket))
    const deadline = arrival[oldest]! + (batching === 'dynamic' ? batchWaitTimeout : 0)
    if (ready < most && time < deadline) {
      if (forming) return
      forming = server
      server.until = deadline
      return
    }
    const batch = dispatch(time, Math.min(ready, most))
    const longest = Math.max(...batch.map((row) => tokens[row]!))
    server.until = time + perRequest + perToken * longest * slowdown(batch.length)
    server.members = batch.map((row) => ({ row, left: 0 }))
    for (const row of batch) finish[row] = server.until
    if (queue.waiting.length > 0 && !forming) wake(time)
  }
  const wake = (time: number): void => {
    const idle = servers.find(isIdle)
    if (idle) idle.until = time
  }

  const iterationOf = (server: Server): number => perToken * slowdown(server.members.length)
  const iterate = (server: Server, time: number): void => {
    for (const place of server.members) place.left -= server.steps
    for (const { row } of server.members.filter(({ left }) => left <= 0)) {
      finish[row] = time
      leave(row)
    }
    server.members = server.members.filter(({ left }) => left > 0)
    const promisedToOthers = servers.reduce((sum, other) => sum + (other === server ? 0 : other.promised), 0)
    server.promised = 0
    const batch = dispatch(time, Math.min(most - server.members.length, queue.waiting.length - promisedToOthers))
    const needed = (row: number): number => Math.max(1, Math.ceil(tokens[row]! + perRequest / perToken))
    server.members.push(...batch.map((row) => ({ row, left: needed(row) })))
    server.boundary = time
    server.steps = Math.min(...server.members.map(({ left }) => left))
    server.until = server.members.length === 0 ? Number.POSITIVE_INFINITY : time + server.steps * iterationOf(server)
  }
  const promise = (time: number): void => {
    const load = (server: Server): number => server.members.length + server.promised
    const least = Math.min(...servers.map(load))
    const server = servers.find((candidate) => load(candidate) === least)!
    if (least >= most) return
    server.promised++
    if (server.promised > 1) return
    if (server.members.length === 0) {
      Object.assign(server, { boundary: time, steps: 0, until: time })
      return
    }
    let steps = Math.max(1, Math.ceil((time - server.boundary) / iterationOf(server)))
    while (server.boundary + steps * iterationOf(server) < time) steps++
    if (steps >= server.steps) return
    server.steps = steps
    server.until = server.boundary + steps * iterationOf(server)
  }

  for (let next = 0; ; ) {
    const time = Math.min(...servers.map(({ until }) => until))
    if (next < rows && arrival[next]! <= time) {
      const now = arrival[next]!
      queue.push(next, estimate[next]!, now, tenant?.[next] ?? 0) // the row is its own ticket
      next++
      if (batching === 'continuous') promise(now)
      else if (!forming) wake(now)
      else if (queue.waiting.length >= most) forming.until = now
    } else if (time === Number.POSITIVE_INFINITY) {
      return { start, finish, bypasses }
    } else {
      const server = servers.find(({ until }) => until === time)!
      if (batching === 'continuous') iterate(server, time)
      else serve(server, time)
    }
  }
}

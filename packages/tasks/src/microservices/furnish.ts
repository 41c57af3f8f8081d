import { type AnyCore, Random } from '@trimtab/core'
import type { CallSketch } from './call-notation.js'
import type { Call, Service, ServiceGraph, ServiceKind } from './graph.js'
import { type ResourceVector, vectorOf } from './resources.js'

export interface GraphSketch {
  readonly name: string
  readonly kindOf: (service: string) => ServiceKind
  readonly requests: readonly { readonly name: string; readonly ratePerSecond: number; readonly entry: CallSketch }[]
}

/** What services of a kind are like: mean service time in ms, how it splits over the five resources, how it varies. */
const CHARACTERS: Readonly<
  Record<ServiceKind, { readonly ms: Range; readonly shares: readonly number[]; readonly variability: Range }>
> = {
  //                         cpu  memory  llc  disk  network
  frontend: { ms: [3, 7], shares: [0.55, 0.1, 0.1, 0.02, 0.23], variability: [0.2, 0.5] },
  logic: { ms: [5, 15], shares: [0.48, 0.17, 0.17, 0.03, 0.15], variability: [0.3, 0.9] },
  cache: { ms: [2, 5], shares: [0.2, 0.3, 0.28, 0.02, 0.2], variability: [0.2, 0.6] },
  database: { ms: [6, 18], shares: [0.18, 0.17, 0.12, 0.43, 0.1], variability: [0.5, 1.2] },
  queue: { ms: [3, 6], shares: [0.3, 0.15, 0.05, 0.3, 0.2], variability: [0.3, 0.8] },
}

type Range = readonly [low: number, high: number]

const GRANT_A_WORKER = [1, 2000, 2, 100, 125] // cores, MB/s, MiB, MB/s, MB/s
const UTILISATION: Range = [0.2, 0.45] // "usually overprovisioned" (3.2.4)
const OPERATION: Range = [0.6, 1.5] // of the service's mean time
const MAX_REPLICAS = 3
const QUEUE_A_WORKER = 100
const HOP_MS = 0.2
const TIMEOUT_MS = 2000

interface Visit {
  readonly sketch: CallSketch
  readonly ratePerSecond: number
  readonly operation: number
}

/**
 * Gives services work, replicas and limits that fit their load: each has a character of its kind, utilisation is between
 * a fifth and a half where visits are many, less where they are few. Same sketch and seed, same graph.
 */
export function furnish(core: AnyCore, sketch: GraphSketch, seed: number): ServiceGraph {
  const random = new Random(core, seed)
  try {
    const between = ([low, high]: Range): number => low + (high - low) * random.uniform()
    const visits = visitsOf(sketch, () => between(OPERATION))
    const services = new Map<string, { readonly service: Service; readonly work: Float64Array }>()
    for (const { sketch: call } of visits) {
      if (services.has(call.service)) continue
      const kind = sketch.kindOf(call.service)
      const character = CHARACTERS[kind]
      const ms = between(character.ms)
      const shares = character.shares.map((share) => share * between([0.6, 1.4]))
      const total = shares.reduce((sum, share) => sum + share, 0)
      const load = visits
        .filter((visit) => visit.sketch.service === call.service)
        .reduce((sum, visit) => sum + (visit.ratePerSecond * visit.operation * ms) / 1000, 0)
      const needed = Math.max(1, Math.ceil(load / between(UTILISATION)))
      const replicas = 1 + random.integer(Math.min(MAX_REPLICAS, needed))
      const workers = Math.ceil(needed / replicas)
      const grant = vectorOf(GRANT_A_WORKER.map((amount) => amount * workers))
      const service = {
        name: call.service,
        kind,
        replicas,
        workers,
        queueLimit: QUEUE_A_WORKER * workers,
        variability: between(character.variability),
        grant,
      }
      services.set(call.service, {
        service,
        work: Float64Array.from(shares, (share, r) => ((ms * share) / total) * GRANT_A_WORKER[r]!),
      })
    }
    const operations = new Map(visits.map(({ sketch: call, operation }) => [call, operation]))
    return {
      name: sketch.name,
      hopMs: HOP_MS,
      services: [...services.values()].map(({ service }) => service),
      requests: sketch.requests.map(({ name, ratePerSecond, entry }) => ({
        name,
        ratePerSecond,
        timeoutMs: TIMEOUT_MS,
        entry: callOf(entry, (call) => scaled(services.get(call.service)!.work, operations.get(call)!)),
      })),
    }
  } finally {
    random.dispose()
  }
}

const scaled = (work: Float64Array, by: number): ResourceVector => vectorOf(work.map((amount) => amount * by))

/** Every visit of every request, callers first. */
function visitsOf(sketch: GraphSketch, drawOperation: () => number): Visit[] {
  return sketch.requests.flatMap(({ ratePerSecond, entry }) => {
    const visits: Visit[] = [{ sketch: entry, ratePerSecond, operation: drawOperation() }]
    for (let i = 0; i < visits.length; i++) {
      for (const call of visits[i]!.sketch.stages.flat())
        visits.push({
          sketch: call,
          ratePerSecond: visits[i]!.ratePerSecond * call.probability,
          operation: drawOperation(),
        })
    }
    return visits
  })
}

/** From the leaves up, so that trees may be as deep as they like. */
function callOf(entry: CallSketch, workOf: (call: CallSketch) => ResourceVector): Call {
  const order = [entry]
  for (let i = 0; i < order.length; i++) order.push(...order[i]!.stages.flat())
  const made = new Map<CallSketch, Call>()
  for (const call of order.reverse()) {
    const { service, probability, background } = call
    const stages = call.stages.map((stage) => stage.map((child) => made.get(child)!))
    made.set(call, {
      service,
      work: workOf(call),
      ...(probability < 1 ? { probability } : {}),
      ...(background ? { background } : {}),
      ...(stages.length > 0 ? { stages } : {}),
    })
  }
  return made.get(entry)!
}

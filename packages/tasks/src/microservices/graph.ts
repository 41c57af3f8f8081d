import { ConfigError, Problems } from '@trimtab/core'
import { RESOURCES, type ResourceVector } from './resources.js'

/** What a service is; decides what its generated work is made of. */
export type ServiceKind = 'frontend' | 'logic' | 'cache' | 'database' | 'queue'

/** A service and how each of its replicas is built: a queue of visits before `workers` threads (M/G/c). */
export interface Service {
  readonly name: string
  readonly kind: ServiceKind
  readonly replicas: number
  /** Threads of a replica: c of its queue. Each has an equal part of what the replica is granted. */
  readonly workers: number
  /** Visits that may wait at a replica; the next one is refused. */
  readonly queueLimit: number
  /** Squared coefficient of variation of a visit's work; 0 is constant, 1 exponential. */
  readonly variability: number
  /** Limits of a replica. CPU beyond one core a worker buys nothing (3.2.4, footnote 6). */
  readonly grant: ResourceVector
}

/** A visit to a service, with the visits it makes in turn. */
export interface Call {
  readonly service: string
  /** Default: the name of the request. */
  readonly operation?: string
  /** Mean work of a visit, in units of each grant for a millisecond. */
  readonly work: ResourceVector
  /** Which part of the work is left for after the calls; 0 where there are none. Default 0.3. */
  readonly afterCalls?: number
  /** How often the call is made, 0…1. Default 1. */
  readonly probability?: number
  /** The caller does not wait: a FOLLOWS_FROM span. Default false. */
  readonly background?: boolean
  /** One stage after the other; the calls of a stage at once. */
  readonly stages?: readonly (readonly Call[])[]
}

/** One kind of request to an application. */
export interface RequestType {
  readonly name: string
  /** Poisson arrivals. */
  readonly ratePerSecond: number
  /** The client gives up, and what still waits for the request is thrown away. */
  readonly timeoutMs: number
  readonly entry: Call
}

/** A microservice application: plain data, so that a graph can be written to a file and read back. */
export interface ServiceGraph {
  readonly name: string
  /** From one service's network stack to the next one's, each way. */
  readonly hopMs: number
  readonly services: readonly Service[]
  readonly requests: readonly RequestType[]
}

export const DEFAULT_AFTER_CALLS = 0.3

/** @throws {ConfigError} `config_invalid` with every problem, each with its path */
export function checkGraph(graph: ServiceGraph): void {
  const problems = new Problems()
  const needs = (path: string, value: unknown, holds: boolean, range: string): void =>
    problems.check(holds, `${path} must be ${range}, got ${String(value)}`)
  const isAtLeast = (value: number, low: number): boolean => Number.isFinite(value) && value >= low
  needs('hopMs', graph.hopMs, isAtLeast(graph.hopMs, 0), '>= 0')
  problems.check(graph.services.length > 0, 'services must not be empty')
  problems.check(graph.requests.length > 0, 'requests must not be empty')

  const names = new Set<string>()
  for (const [i, service] of graph.services.entries()) {
    const path = `services[${i}]`
    const { name, replicas, workers, queueLimit, variability, grant } = service
    needs(`${path}.name`, name, name !== '' && !names.has(name), 'a name of its own')
    names.add(name)
    needs(`${path}.replicas`, replicas, Number.isInteger(replicas) && replicas > 0, 'a whole number above 0')
    needs(`${path}.workers`, workers, Number.isInteger(workers) && workers > 0, 'a whole number above 0')
    needs(`${path}.queueLimit`, queueLimit, Number.isInteger(queueLimit) && queueLimit >= 0, 'a whole number >= 0')
    needs(`${path}.variability`, variability, isAtLeast(variability, 0), '>= 0')
    for (const resource of RESOURCES) {
      const value = grant[resource]
      needs(`${path}.grant.${resource}`, value, Number.isFinite(value) && value > 0, 'above 0')
    }
  }

  const requestNames = new Set<string>()
  for (const [i, request] of graph.requests.entries()) {
    const path = `requests[${i}]`
    const { name, ratePerSecond, timeoutMs } = request
    needs(`${path}.name`, name, name !== '' && !requestNames.has(name), 'a name of its own')
    requestNames.add(name)
    needs(`${path}.ratePerSecond`, ratePerSecond, isAtLeast(ratePerSecond, 0), '>= 0')
    needs(`${path}.timeoutMs`, timeoutMs, timeoutMs > 0, 'above 0')
    needs(`${path}.entry.background`, request.entry.background, !request.entry.background, 'absent: somebody waits')
    needs(`${path}.entry.probability`, request.entry.probability, (request.entry.probability ?? 1) === 1, '1')
    for (const { call, at } of walk(request.entry, `${path}.entry`)) {
      needs(`${at}.service`, call.service, names.has(call.service), 'the name of a service')
      const { afterCalls = 0, probability = 1 } = call
      needs(`${at}.afterCalls`, afterCalls, afterCalls >= 0 && afterCalls <= 1, '0 … 1')
      needs(`${at}.probability`, probability, probability >= 0 && probability <= 1, '0 … 1')
      for (const resource of RESOURCES)
        needs(`${at}.work.${resource}`, call.work[resource], isAtLeast(call.work[resource], 0), '>= 0')
    }
  }
  problems.throwIfAny(`graph ${graph.name}`)
}

/** Every call below and with `entry`, callers before callees, with its path. */
export function walk(entry: Call, path = 'entry'): { readonly call: Call; readonly at: string }[] {
  const found = [{ call: entry, at: path }]
  for (let i = 0; i < found.length; i++) {
    const { call, at } = found[i]!
    for (const [s, stage] of (call.stages ?? []).entries())
      for (const [c, child] of stage.entries()) found.push({ call: child, at: `${at}.stages[${s}][${c}]` })
  }
  return found
}

/** @throws {ConfigError} `service_unknown` */
export function serviceNumber(graph: ServiceGraph, name: string): number {
  const number = graph.services.findIndex((service) => service.name === name)
  if (number < 0)
    throw new ConfigError(
      'service_unknown',
      `${graph.name} has no service ${name}; it has ${graph.services.map((s) => s.name).join(', ')}`,
    )
  return number
}

/** How replicas are called in spans: `cart-0`, `cart-1`, … */
export const instanceName = (service: string, replica: number): string => `${service}-${replica}`

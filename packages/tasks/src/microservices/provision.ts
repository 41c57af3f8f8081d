import { ConfigError } from '@trimtab/core'
import type { ServiceGraph } from './graph.js'
import { RESOURCES, type ResourceVector, vectorOf } from './resources.js'

/** How much comes, and what every replica is granted, in multiples of what a graph has. */
export interface Provision {
  /** Default 1. */
  readonly load?: number
  /** Default: 1 each. */
  readonly grants?: Partial<ResourceVector>
}

/**
 * The same application under another load or with other headroom.
 * @throws {ConfigError} `config_invalid`
 */
export function provision(graph: ServiceGraph, { load = 1, grants = {} }: Provision): ServiceGraph {
  for (const [name, factor] of Object.entries({ load, ...grants }))
    if (!(Number.isFinite(factor) && factor > 0))
      throw new ConfigError('config_invalid', `${name} must be above 0, got ${factor}`)
  return {
    ...graph,
    requests: graph.requests.map((request) => ({ ...request, ratePerSecond: load * request.ratePerSecond })),
    services: graph.services.map((service) => ({
      ...service,
      grant: vectorOf(RESOURCES.map((resource) => service.grant[resource] * (grants[resource] ?? 1))),
    })),
  }
}

import { ConfigError, Problems } from '@trimtab/core'
import type { ServiceGraph } from './graph.js'
import type { Instance } from './instance.js'
import { numbersOf, RESOURCE_COUNT, RESOURCES, type ResourceVector, vectorOf } from './resources.js'

/** A machine that instances run on: together they are granted what it has at most. */
export interface Node {
  readonly name: string
  readonly capacity: ResourceVector
}

/**
 * Machines of one size that have `headroom` times what the graph grants as deployed.
 * @throws {ConfigError} `config_invalid`
 */
export function nodesFor(graph: ServiceGraph, count: number, headroom: number): Node[] {
  const problems = new Problems()
  problems.check(Number.isInteger(count) && count > 0, `count must be a whole number above 0, got ${count}`)
  problems.check(headroom >= 1 && Number.isFinite(headroom), `headroom must be >= 1, got ${headroom}`)
  problems.throwIfAny('nodes')
  const deployed = new Float64Array(RESOURCE_COUNT)
  for (const { replicas, grant } of graph.services)
    for (const [r, amount] of numbersOf(grant).entries()) deployed[r]! += replicas * amount
  const capacity = vectorOf(deployed.map((amount) => (headroom * amount) / count))
  return Array.from({ length: count }, (_, i) => ({ name: `node-${i}`, capacity }))
}

/** @throws {ConfigError} `config_invalid` with every problem, each with its path */
export function checkNodes(nodes: readonly Node[]): void {
  const problems = new Problems()
  for (const [i, { capacity }] of nodes.entries())
    for (const resource of RESOURCES)
      problems.check(
        capacity[resource] > 0,
        `nodes[${i}].capacity.${resource} must be above 0, got ${capacity[resource]}`,
      )
  problems.throwIfAny('nodes')
}

/** What is left on each machine; of none there is always enough. */
export class NodeRoom {
  readonly #capacities: readonly (readonly number[])[]
  readonly #instances: readonly Instance[]

  /** @param instances  of the fleet, as it changes */
  constructor(nodes: readonly Node[], instances: readonly Instance[]) {
    this.#capacities = nodes.map(({ capacity }) => numbersOf(capacity))
    this.#instances = instances
  }

  /** [R] the most that an instance can be granted where it is, the others having what they have. */
  most(instance: Instance): Float64Array {
    return this.#left(instance.node, instance)
  }

  /**
   * The machine that would have most left beside something of this size, in the resource of which it would have least.
   * @throws {ConfigError} `nodes_full`
   */
  place(grant: ArrayLike<number>, name: string): number {
    if (this.#capacities.length === 0) return -1
    const slack = this.#capacities.map((capacity, node) => {
      const left = this.#left(node)
      return Math.min(...capacity.map((amount, r) => (left[r]! - grant[r]!) / amount))
    })
    const roomiest = slack.indexOf(Math.max(...slack))
    if (slack[roomiest]! < -ROUNDING)
      throw new ConfigError('nodes_full', `no machine has room for ${name}: scale something in or add machines`)
    return roomiest
  }

  #left(node: number, except?: Instance): Float64Array {
    const left = Float64Array.from(this.#capacities[node] ?? UNLIMITED)
    for (const one of this.#instances) {
      if (one === except || one.node !== node || one.hasLeft) continue
      for (let r = 0; r < RESOURCE_COUNT; r++) left[r]! -= one.grant[r]!
    }
    return left
  }
}

const UNLIMITED = RESOURCES.map(() => Number.POSITIVE_INFINITY)
const ROUNDING = 1e-9 // of the sums of grants

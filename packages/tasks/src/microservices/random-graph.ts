import { type AnyCore, Problems, Random } from '@trimtab/core'
import type { CallSketch } from './call-notation.js'
import { furnish } from './furnish.js'
import type { ServiceGraph, ServiceKind } from './graph.js'

/** Size and load of a generated application. */
export interface RandomGraphOptions {
  /** Default: 15 … 41, by the seed. */
  readonly services?: number
  /** Of all types together. Default 80. */
  readonly ratePerSecond?: number
}

const FEWEST = 6
const PAPER_SIZES = [15, 41] as const // 3.3.1: benchmarks of 15 to 41 services
const MAX_DEPTH = 4
const PARALLEL = 0.45
const BACKGROUND = 0.1
const AGAIN = 0.18 // that a request also needs a service which is another one's

/**
 * A made-up application: a front end, logic that calls logic, caches and databases behind it; requests of several types that
 * share services, with sequential, parallel, background and occasional calls. Same seed, same graph.
 * @throws {ConfigError} `config_invalid`
 */
export function generateGraph(core: AnyCore, seed: number, options: RandomGraphOptions = {}): ServiceGraph {
  const random = new Random(core, seed, 1)
  try {
    const [least, most] = PAPER_SIZES
    const { services = least + random.integer(most - least + 1), ratePerSecond = 80 } = options
    const problems = new Problems()
    problems.check(
      Number.isInteger(services) && services >= FEWEST,
      `services must be ${FEWEST} or more, got ${services}`,
    )
    problems.check(ratePerSecond > 0, `ratePerSecond must be above 0, got ${ratePerSecond}`)
    problems.throwIfAny('random graph')

    const logic = Math.round(0.5 * (services - 1))
    const stores = services - 1 - logic
    /** Caches and databases of each logic service. */
    const behind: string[][] = Array.from({ length: logic }, () => [])
    for (let i = 0; i < stores; i++) behind[i % logic]!.push(random.uniform() < 0.45 ? `cache-${i}` : `database-${i}`)
    const types = 3 + Math.floor(services / 14)
    const weights = Array.from({ length: types }, () => 0.5 + random.uniform())
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    const requests = weights.map((weight, type) => {
      const members = Array.from({ length: logic }, (_, i) => i).filter(
        (i) => i % types === type || random.uniform() < AGAIN,
      )
      return {
        name: `request-${type}`,
        ratePerSecond: (ratePerSecond * weight) / total,
        entry: treeOf(random, shuffled(random, members), behind),
      }
    })
    return furnish(core, { name: `random-${seed}`, kindOf, requests }, seed)
  } finally {
    random.dispose()
  }
}

/** Hangs the services below a front end, each under one that is there already. */
function treeOf(random: Random, members: readonly number[], behind: readonly string[][]): CallSketch {
  const entry: CallSketch = { service: 'frontend', probability: 1, background: false, stages: [] }
  const open = [{ call: entry, depth: 0 }]
  for (const member of members) {
    const { call: caller, depth } = open[random.integer(open.length)]!
    const background = random.uniform() < BACKGROUND
    const probability = random.uniform() < 0.15 ? 0.3 + 0.6 * random.uniform() : 1
    const call: CallSketch = { service: `logic-${member}`, probability, background, stages: [] }
    for (const store of behind[member]!) {
      const occasional = kindOf(store) === 'database' && call.stages.length > 0 // behind a cache: on a miss only
      const stored = {
        service: store,
        probability: occasional ? 0.2 + 0.3 * random.uniform() : 1,
        background: false,
        stages: [],
      }
      call.stages.push([stored])
    }
    const last = caller.stages.at(-1)
    if (last && random.uniform() < PARALLEL) last.push(call)
    else caller.stages.push([call])
    if (depth + 1 < MAX_DEPTH) open.push({ call, depth: depth + 1 })
  }
  return entry
}

function kindOf(service: string): ServiceKind {
  return service.replace(/-\d+$/, '') as ServiceKind
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const mixed = [...items]
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = random.integer(i + 1)
    const item = mixed[i]!
    mixed[i] = mixed[j]!
    mixed[j] = item
  }
  return mixed
}

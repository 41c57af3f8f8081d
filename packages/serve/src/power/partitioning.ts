import { ConfigError } from '@trimtab/core'
import type { OperatorCluster } from './clustering.js'

/** A run of neighbouring clusters of one model: what placement gives to a device. */
export interface ModelPartition {
  readonly model: string
  /** Its place in the model's pipeline, from 0. */
  readonly stage: number
  /** Operators [begin, end) of the model. */
  readonly begin: number
  readonly end: number
  /** Mean sensitivity score of its operators, weighted by their latency (6.3.2). */
  readonly score: number
  readonly latencyMs: number
  readonly memoryBytes: number
}

/**
 * Cuts a model into `stages` partitions between clusters, so that the slowest stage is as fast as can be: the inter-operator pass of
 * AlpaServe, with the cluster in the operator's place (6.3.1). Of the cuts that achieve it, the first stages are the longest.
 * Intra-operator parallelism is not considered.
 *
 * @returns at most `stages` partitions: fewer when the model has fewer clusters
 * @throws {ConfigError} `config_invalid`
 */
export function partitionModel(model: string, clusters: readonly OperatorCluster[], stages: number): ModelPartition[] {
  if (clusters.length === 0 || !(Number.isInteger(stages) && stages > 0)) {
    throw new ConfigError(
      'config_invalid',
      `model ${model}: ${clusters.length} operator clusters cannot be cut into ${stages} stages; both must be counts > 0`,
    )
  }
  const cuts = bestCuts(
    clusters.map(({ latencyMs }) => latencyMs),
    Math.min(stages, clusters.length),
  )
  return cuts.slice(1).map((end, stage) => {
    const members = clusters.slice(cuts[stage]!, end)
    const latencyMs = members.reduce((total, cluster) => total + cluster.latencyMs, 0)
    const memoryBytes = members.reduce((total, cluster) => total + cluster.memoryBytes, 0)
    const weighted = members.reduce((total, cluster) => total + cluster.latencyMs * cluster.score, 0)
    const score = latencyMs > 0 ? weighted / latencyMs : members[0]!.score
    return { model, stage, begin: members[0]!.begin, end: members.at(-1)!.end, score, latencyMs, memoryBytes }
  })
}

/** Dynamic programming over (stages, prefix): cut positions 0 … n of the split whose largest part is smallest. O(stages · n²). */
function bestCuts(sizes: readonly number[], stages: number): number[] {
  const n = sizes.length
  const prefix = [0]
  for (const size of sizes) prefix.push(prefix.at(-1)! + size)
  let slowest = prefix.slice()
  const cutAt: number[][] = []
  for (let stage = 1; stage < stages; stage++) {
    const next = new Array<number>(n + 1).fill(Infinity)
    const from = new Array<number>(n + 1).fill(stage)
    for (let end = stage + 1; end <= n; end++) {
      for (let cut = stage; cut < end; cut++) {
        const worst = Math.max(slowest[cut]!, prefix[end]! - prefix[cut]!)
        if (worst <= next[end]!) {
          next[end] = worst
          from[end] = cut
        }
      }
    }
    cutAt.push(from)
    slowest = next
  }
  const cuts = [n]
  for (const from of cutAt.toReversed()) cuts.unshift(from[cuts[0]!]!)
  return [0, ...cuts]
}

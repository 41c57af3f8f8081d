// What a pretrained model says about a pair that it has not seen.
import { type Core, createCore } from '@trimtab/core'
import { type CostEstimate, type Distance, type PretrainedModel, similarity, type Trajectory } from '@trimtab/learn'

/** What a pair is like, before anything is deployed. */
export interface Description {
  /** [Z] */
  readonly z: readonly number[]
  readonly distance: Distance
  /** The pair of the pool that is most alike. */
  readonly nearest: { readonly pair: string; readonly similarity: number }
  /** What serving it as that pair would cost. */
  readonly estimate: CostEstimate | undefined
}

/** z [Z] of what a pair did. @throws {ConfigError} trajectories of other shapes */
export function embeddingOf(core: Core, model: PretrainedModel, trajectories: readonly Trajectory[]): Float32Array {
  const meta = model.createMetaLearner(core)
  try {
    meta.insertTrajectories(trajectories)
    return meta.getEmbedding()
  } finally {
    meta.dispose()
  }
}

/**
 * What trajectories of a pair say about it: embedding, distance from the pool, nearest relative, cost to adapt.
 * @throws {ConfigError} trajectories of other shapes
 */
export async function describePair(model: PretrainedModel, trajectories: readonly Trajectory[]): Promise<Description> {
  const z = embeddingOf(await createCore(), model, trajectories)
  const nearest = model.pool
    .map((pair) => ({ pair: pair.name, similarity: similarity(z, pair.z) }))
    .reduce((best, one) => (one.similarity > best.similarity ? one : best))
  return { z: [...z], distance: model.distanceOf(z), nearest, estimate: model.estimateAt(nearest.similarity) }
}

// What a run of adaptation is asked and tells.
import type { RunStory } from '../run/protocol.js'

export interface AdaptationOptions {
  /** Number of an application that the pool does not hold. */
  readonly app: number
  readonly episodes: number
  readonly seed: number
}

/** A place on the map of embeddings, in units of its own. */
export interface Place {
  readonly x: number
  readonly y: number
}

export interface Relative {
  /** Number in the pool. */
  readonly pair: number
  /** S, −1 … 1. */
  readonly similarity: number
}

export interface AdaptationStart {
  readonly episodes: number
  readonly app: number
  readonly pool: readonly (Place & { readonly name: string })[]
  /** Share of the embeddings' differences that the map shows. */
  readonly shown01: number
}

export interface AdaptationStep {
  readonly episode: number
  /** One each for every controller: mean reward of a step on loads that nobody learns from. */
  readonly rewards: readonly number[]
  readonly place: Place
  /** Most alike first. */
  readonly relatives: readonly Relative[]
  /** What serving it as the most alike one was foretold to cost, in words. */
  readonly forecast: string
}

export type AdaptationEvent = RunStory<AdaptationStart, AdaptationStep>

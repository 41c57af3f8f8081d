// What the page and its worker say to each other.
import type { AutoscalerSummary, AutoscalingReport } from 'trimtab/report'

/** What to run. */
export interface LiveOptions {
  /** Seed of the generated application. */
  readonly app: number
  /** A table of requests per minute; without it the load is generated from `seed`. */
  readonly load?: { readonly name: string; readonly text: string }
  readonly sloFactor: number
  readonly seed: number
  readonly episodes: number
}

export type LiveController = Pick<AutoscalerSummary, 'name' | 'label' | 'kind'>

/** One piece of a run; lists have one entry for each controller, in the order of `start`. */
export type LiveEvent =
  | { readonly type: 'note'; readonly text: string }
  | {
      readonly type: 'start'
      readonly controllers: readonly LiveController[]
      readonly sloMs: number
      readonly episodes: number
      readonly stepsPerEpisode: number
      readonly stepSeconds: number
    }
  | {
      readonly type: 'step'
      readonly episode: number
      readonly step: number
      readonly p99Ms: readonly number[]
      readonly replicas: readonly number[]
      readonly requestedCores: readonly number[]
    }
  | {
      readonly type: 'episode'
      readonly episode: number
      readonly reward: readonly number[]
      readonly violationPercent: readonly number[]
      /** Of the learner. */
      readonly stage: string
    }
  | { readonly type: 'done'; readonly report: AutoscalingReport }

export type ToWorker =
  | { readonly type: 'run'; readonly options: LiveOptions; readonly stepsPerSecond: number }
  | { readonly type: 'speed'; readonly stepsPerSecond: number }
  | { readonly type: 'pause'; readonly isPaused: boolean }

export type FromWorker =
  | { readonly type: 'events'; readonly events: readonly LiveEvent[] }
  | { readonly type: 'failed'; readonly message: string }

// What the page and its worker say to each other.
import type { AutoscalerSummary } from 'trimtab/report'

/** What to run. */
export interface LiveOptions {
  /** What `loadTask` takes: a name, or the address of a module. */
  readonly task: string
  /** Seed of the generated application, number of the pair in other tasks. */
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
      readonly episodes: number
      /** What an episode's reward is. */
      readonly reward: string
      /** Of the charts of steps; other tasks than autoscaling have none. */
      readonly steps?: { readonly sloMs: number; readonly perEpisode: number; readonly seconds: number }
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
      /** Of the learner. */
      readonly stage: string
    }
  | { readonly type: 'done'; readonly outcome: Outcome }

/** What everybody came to, judged on what nobody has learned from. */
export interface Outcome {
  readonly heads: readonly string[]
  readonly rows: readonly { readonly controller: LiveController; readonly cells: readonly string[] }[]
  readonly findings: readonly string[]
  /** The full report: a page that needs nothing else. */
  readonly page: string
}

export type ToWorker =
  | { readonly type: 'run'; readonly options: LiveOptions; readonly stepsPerSecond: number }
  | { readonly type: 'speed'; readonly stepsPerSecond: number }
  | { readonly type: 'pause'; readonly isPaused: boolean }

export type FromWorker =
  | { readonly type: 'events'; readonly events: readonly LiveEvent[] }
  | { readonly type: 'failed'; readonly message: string }

// What a run of autoscaling, or of any other task, is asked and tells.
import type { ResizeMode } from 'trimtab/tasks/autoscaling'
import type { LiveController, ResultTable } from '../run/controllers.js'

/** What to run. */
export interface LiveOptions {
  /** What `loadTask` takes: a name, or the address of a module. */
  readonly task: string
  /** Seed of the generated application, number of the pair in other tasks. */
  readonly app: number
  /** A table of requests per minute; without it the load is generated from `seed`. */
  readonly load?: { readonly name: string; readonly text: string }
  readonly seed: number
  /** Of other tasks than autoscaling, which lives for days. */
  readonly episodes: number
  readonly days: number
  readonly sloFactor: number
  readonly resize: ResizeMode
}

/** One piece of a run; lists have one entry for each controller, in the order of `start`. */
export type LiveEvent =
  | { readonly type: 'note'; readonly text: string }
  | {
      readonly type: 'start'
      readonly controllers: readonly LiveController[]
      /** Episodes, or days. */
      readonly rounds: number
      /** What a round's value is, and who decides in it. */
      readonly value: string
      readonly stage: string
      /** Drawn across the chart of rounds. */
      readonly reference?: { readonly value: number; readonly label: string }
      /** Whether there are charts of steps; only autoscaling has them. */
      readonly hasSteps: boolean
    }
  | {
      readonly type: 'step'
      readonly minute: number
      readonly p99OverSlo: readonly (number | null)[]
      readonly dollarsPerHour: readonly number[]
      readonly cores: readonly number[]
    }
  | {
      readonly type: 'round'
      readonly round: number
      readonly values: readonly number[]
      /** Who decides, of the learner. */
      readonly stage: string
      readonly text: string
    }
  | { readonly type: 'done'; readonly outcome: Outcome }

/** What everybody came to, judged on what nobody has learned from. */
export interface Outcome extends ResultTable {
  readonly findings: readonly string[]
  /** The full report: a page that needs nothing else. A recorded run has none. */
  readonly page?: string
}

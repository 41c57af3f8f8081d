// What a page and the worker of its runs say to each other, whatever is run.
import type { LiveController, ResultTable } from './controllers.js'

/** A piece of a run. `step`s are what the pace counts; `note` says what is being done; `done` is the last. */
export interface RunEvent {
  readonly type: string
}

/** A run that starts: who takes part, and what its page wants to know beforehand. */
export type Started<Start> = Start & { readonly type: 'start'; readonly controllers: readonly LiveController[] }

/** A run from its start to its end: who takes part, step by step what becomes of them, and what they come to. */
export type RunStory<Start, Step> =
  | { readonly type: 'note'; readonly text: string }
  | Started<Start>
  | (Step & { readonly type: 'step' })
  | { readonly type: 'done'; readonly table: ResultTable; readonly findings: readonly string[] }

export type ToWorker<Options> =
  /** The recorded run, or one of the visitor's own. */
  | { readonly type: 'replay'; readonly seconds: number }
  | { readonly type: 'run'; readonly options: Options; readonly stepsPerSecond: number }
  | { readonly type: 'pace'; readonly stepsPerSecond: number }
  | { readonly type: 'pause'; readonly isPaused: boolean }

export type FromWorker<Event extends RunEvent> =
  | { readonly type: 'events'; readonly events: readonly Event[] }
  | { readonly type: 'failed'; readonly message: string }

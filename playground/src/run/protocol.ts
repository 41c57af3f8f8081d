// What a page and the worker of its runs say to each other, whatever is run.

/** A piece of a run. `step`s are what the pace counts; `note` says what is being done; `done` is the last. */
export interface RunEvent {
  readonly type: string
}

export type ToWorker<Options> =
  /** The recorded run, or one of the visitor's own. */
  | { readonly type: 'replay'; readonly seconds: number }
  | { readonly type: 'run'; readonly options: Options; readonly stepsPerSecond: number }
  | { readonly type: 'pace'; readonly stepsPerSecond: number }
  | { readonly type: 'pause'; readonly isPaused: boolean }

export type FromWorker<Event extends RunEvent> =
  | { readonly type: 'events'; readonly events: readonly Event[] }
  | { readonly type: 'failed'; readonly message: string }

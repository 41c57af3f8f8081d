// Runs beside the page: small slices at the chosen pace, so that pausing and stopping answer at once.
import type { FromWorker, RunEvent, ToWorker } from './protocol.js'

const SLICE_MS = 40

/** What a worker of runs is made of. Both are loaded when asked for: the recorded one starts without the simulator. */
export interface Runs<Options, Event extends RunEvent> {
  readonly recorded: () => Promise<readonly Event[]>
  readonly live: (options: Options) => AsyncIterable<Event>
}

export function serveRuns<Options, Event extends RunEvent>({ recorded, live }: Runs<Options, Event>): void {
  let stepsPerSecond = Number.POSITIVE_INFINITY
  let isPaused = false
  const send = (message: FromWorker<Event>): void => postMessage(message)

  /** Lets messages in; paused, it looks for them a few times a second. */
  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => setTimeout(resolve, isPaused ? 100 : milliseconds))

  async function play(run: AsyncIterable<Event> | Iterable<Event>): Promise<void> {
    let slice: Event[] = []
    let steps = 0
    let startedAt = performance.now()
    const flush = async (): Promise<void> => {
      if (slice.length > 0) send({ type: 'events', events: slice })
      slice = []
      do await pause(Math.max(0, steps * (1000 / stepsPerSecond) - (performance.now() - startedAt)))
      while (isPaused)
      steps = 0
      startedAt = performance.now()
    }
    for await (const event of run) {
      slice.push(event)
      if (event.type === 'step') steps++
      const isDue = performance.now() - startedAt >= SLICE_MS || steps * (1000 / stepsPerSecond) >= SLICE_MS
      if (isDue || event.type === 'note') await flush()
    }
    await flush()
  }

  async function replay(seconds: number): Promise<void> {
    const events = await recorded()
    stepsPerSecond = events.filter(({ type }) => type === 'step').length / seconds
    await play(events)
  }

  addEventListener('message', ({ data }: MessageEvent<ToWorker<Options>>) => {
    if (data.type === 'pause') isPaused = data.isPaused
    else if (data.type !== 'replay') stepsPerSecond = data.stepsPerSecond
    const run =
      data.type === 'replay' ? replay(data.seconds) : data.type === 'run' ? play(live(data.options)) : undefined
    run?.catch((error: unknown) =>
      send({ type: 'failed', message: error instanceof Error ? error.message : String(error) }),
    )
  })
}

// Runs the comparison beside the page: small slices at the chosen speed, so that pausing and stopping answer at once.

import type { FromWorker, LiveEvent, LiveOptions, ToWorker } from './protocol.js'
import { simulateLive } from './stand-in.js'

const SLICE_MS = 40

let stepsPerSecond = Number.POSITIVE_INFINITY
let isPaused = false

const send = (message: FromWorker) => postMessage(message)

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === 'pause') isPaused = data.isPaused
  else stepsPerSecond = data.stepsPerSecond
  if (data.type === 'run') {
    run(data.options).catch((error: unknown) =>
      send({ type: 'failed', message: error instanceof Error ? error.message : String(error) }),
    )
  }
})

async function run(options: LiveOptions): Promise<void> {
  const events = await simulateLive(options)
  for (let isOver = false; !isOver; ) {
    const startedAt = performance.now()
    const most = Math.max(1, (stepsPerSecond * SLICE_MS) / 1000)
    const slice: LiveEvent[] = []
    for (let steps = 0; !isPaused && !isOver && steps < most && performance.now() - startedAt < SLICE_MS; ) {
      const { value, done } = events.next()
      if (done) isOver = true
      else {
        slice.push(value)
        if (value.type === 'step') steps++
      }
    }
    if (slice.length > 0) send({ type: 'events', events: slice })
    await pause(
      Math.max(0, Number.isFinite(stepsPerSecond) || isPaused ? SLICE_MS - (performance.now() - startedAt) : 0),
    )
  }
}

/** Lets messages in. */
const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

// Runs the comparison beside the page: small slices at the chosen speed, so that pausing and stopping answer at once.

import { compareLive } from './compare.js'
import type { FromWorker, LiveEvent, LiveOptions, ToWorker } from './protocol.js'
import { simulate } from './simulate.js'

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
  let slice: LiveEvent[] = []
  let steps = 0
  let startedAt = performance.now()
  const flush = async () => {
    if (slice.length > 0) send({ type: 'events', events: slice })
    slice = []
    do await pause(Math.max(0, steps * (1000 / stepsPerSecond) - (performance.now() - startedAt)))
    while (isPaused)
    steps = 0
    startedAt = performance.now()
  }
  for await (const event of options.task === 'autoscaling' ? simulate(options) : compareLive(options)) {
    slice.push(event)
    if (event.type === 'step') steps++
    const isDue = performance.now() - startedAt >= SLICE_MS || steps * (1000 / stepsPerSecond) >= SLICE_MS
    if (isDue || event.type === 'note') await flush()
  }
  await flush()
}

/** Lets messages in; paused, it looks for them a few times a second. */
const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, isPaused ? 100 : milliseconds))

// Serving: the ready queue and the replay, the length predictor, the scheduler's promises.
import { predictorRows } from './serve/predictor.mjs'
import { readyQueueRows } from './serve/queue.mjs'
import { schedulerRows } from './serve/scheduler.mjs'

export const name = 'serving'

export const run = async ({ log }) => [
  ...(await readyQueueRows({ log })),
  ...(await predictorRows()),
  ...(await schedulerRows({ log })),
]

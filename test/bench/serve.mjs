// Serving: the length predictor, the scheduler's promises.
import { predictorRows } from './serve/predictor.mjs'
import { schedulerRows } from './serve/scheduler.mjs'

export const name = 'serving'

export const run = async ({ log }) => [...(await predictorRows()), ...(await schedulerRows({ log }))]

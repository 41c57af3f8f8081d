// Serving: the scheduler's promises.
import { schedulerRows } from './serve/scheduler.mjs'

export const name = 'serving'

export const run = ({ log }) => schedulerRows({ log })

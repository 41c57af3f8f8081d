import { UsageError } from '../options.js'
import type { OpenedPredictor } from '../prediction/open.js'
import type { Reading } from '../read-file.js'
import {
  errorsOf,
  estimateRows,
  estimateRowsWithErrors,
  onlineEstimator,
  pairwiseOrder,
  rowEstimator,
} from './estimates.js'
import { readLogFile } from './read-files.js'
import type { RequestLog } from './requests.js'
import type { Estimator } from './work.js'

export interface EstimatorChoice {
  /** It learns from each request that is done. */
  readonly isLearning: boolean
  /** A log with prompts by which errors are measured that a log without them borrows. */
  readonly errorsOf: string | undefined
  readonly seed: number
}

/**
 * Who estimates the requests of a log.
 * @throws {UsageError} when the log has no prompts and none to borrow errors from
 */
export async function chooseEstimator(
  { core, predictor, name }: OpenedPredictor,
  log: RequestLog,
  { isLearning, errorsOf: measuredFile, seed }: EstimatorChoice,
  reading: Reading,
): Promise<Estimator> {
  if (log.hasPrompts) {
    const rows = await estimateRows(log, predictor)
    if (!isLearning) return rowEstimator(log, rows, name)
    return onlineEstimator(core, log, predictor.save(), name, pairwiseOrder(log, rows.tokens))
  }
  if (measuredFile === undefined)
    throw new UsageError(
      `${log.name} has no prompts to predict from: add --errors-of FILE with prompts, whose measured error it borrows, or ask for --policy fcfs,oracle`,
    )
  if (isLearning) throw new UsageError('--online needs prompts to learn from')
  const measured = await readLogFile(measuredFile, reading)
  if (!measured.hasPrompts) throw new UsageError(`--errors-of ${measuredFile}: not every request there has a prompt`)
  const errors = errorsOf(measured, await estimateRows(measured, predictor))
  const rows = estimateRowsWithErrors(core, log, errors, seed)
  return rowEstimator(log, rows, `the true ones with the error of ${name} on ${measured.name}`)
}

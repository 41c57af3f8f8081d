import type { Problems } from '@trimtab/core'
import { COUNT, isCount } from '@trimtab/core/internal'
import type { MetaOptions } from './presets.js'

/** Notes everything that is wrong with the options, each with its path. */
export function checkMetaOptions(options: MetaOptions, problems: Problems): void {
  const check = (name: keyof MetaOptions, says: string, holds: (value: number) => boolean): void => {
    const value = options[name]
    problems.check(typeof value === 'number' && holds(value), `options.${name} must be ${says}, got ${String(value)}`)
  }
  for (const name of ['hiddenSize', 'layers', 'maxSequences', 'maxSteps', 'drawSequences', 'drawSteps'] as const) {
    check(name, COUNT, isCount)
  }
  check('bufferSize', `${COUNT}, and at least 2: some rules halve it`, (value) => isCount(value) && value >= 2)
  problems.check(
    options.dense.length > 0 && options.dense.every(isCount),
    `options.dense must name at least one width, each ${COUNT}, got [${options.dense.join(', ')}]`,
  )
  problems.check(
    options.drawSequences <= options.maxSequences && options.drawSteps <= options.maxSteps,
    'options.drawSequences and drawSteps must not exceed maxSequences and maxSteps, which the encoder has room for',
  )
  check('learningRate', '> 0', (value) => value > 0)
  check('maxGradientNorm', '≥ 0', (value) => value >= 0)
  check('dropout', 'in [0, 1)', (value) => value >= 0 && value < 1)
  check('nullShare', 'in [0, 1]', (value) => value >= 0 && value <= 1)
}

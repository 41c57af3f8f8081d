import { Problems } from '@trimtab/core'
import type { AddOptions } from './types.js'

export const isLength = (value: number): boolean => value >= 0 && Number.isFinite(value)

const isLengthIfGiven = (value: number | undefined): boolean => value === undefined || isLength(value)

/** @throws {ConfigError} `config_invalid` */
export function checkRequest({ tokens, maxTokens, deadlineMs, answers = 1 }: AddOptions): void {
  const isAnswers = Number.isSafeInteger(answers) && answers > 0
  if (isLengthIfGiven(tokens) && isLengthIfGiven(maxTokens) && isLengthIfGiven(deadlineMs) && isAnswers) return
  const problems = new Problems()
  for (const [name, value] of Object.entries({ tokens, maxTokens, deadlineMs }))
    problems.check(isLengthIfGiven(value), `${name} must be a number ≥ 0, got ${value}`)
  problems.check(isAnswers, `answers must be a whole number ≥ 1, got ${answers}`)
  problems.throwIfAny('request')
}

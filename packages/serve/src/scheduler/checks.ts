import { Problems } from '@trimtab/core'
import type { AddOptions } from './types.js'

export const isLength = (value: number): boolean => value >= 0 && Number.isFinite(value)

const isLengthIfGiven = (value: number | undefined): boolean => value === undefined || isLength(value)

/** @throws {ConfigError} `config_invalid` */
export function checkRequest({ tokens, maxTokens, deadlineMs }: AddOptions): void {
  if (isLengthIfGiven(tokens) && isLengthIfGiven(maxTokens) && isLengthIfGiven(deadlineMs)) return
  const problems = new Problems()
  for (const [name, value] of Object.entries({ tokens, maxTokens, deadlineMs }))
    problems.check(isLengthIfGiven(value), `${name} must be a number ≥ 0, got ${value}`)
  problems.throwIfAny('request')
}

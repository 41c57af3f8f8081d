import { Problems } from '@trimtab/core'
import type { AddOptions, WaitingOptions } from './types.js'

export const isLength = (value: number): boolean => value >= 0 && Number.isFinite(value)

export const isLengthIfGiven = (value: number | undefined): boolean => value === undefined || isLength(value)

const MOST_PRIORITY = 10
const isPriority = (value: number): boolean => Number.isInteger(value) && Math.abs(value) <= MOST_PRIORITY

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value > 0

const LENGTHS = ['tokens', 'maxTokens', 'promptTokens', 'deadlineMs', 'timeoutMs'] as const

const REQUEST: readonly (keyof AddOptions)[] = [
  ...LENGTHS,
  ...(['answers', 'priority', 'signal', 'model', 'prompt', 'tenant', 'retry'] as const),
]
const KNOWN: ReadonlySet<string> = new Set(REQUEST)

export const WAITING: readonly (keyof WaitingOptions)[] = [
  ...(['core', 'estimator', 'capacity', 'order', 'bypass', 'maxBypassSeconds', 'fairness'] as const),
  ...([
    'isAutoregressive',
    'unknownTokens',
    'promptWeight',
    'limit',
    'modelLimits',
    'timeoutMs',
    'retry',
    'clock',
  ] as const),
]

/** @throws {ConfigError} `config_invalid` */
export function checkRequest(options: AddOptions): void {
  if (isGood(options)) return
  const problems = new Problems()
  problems.checkKeys(options, REQUEST, 'options')
  for (const name of LENGTHS) {
    problems.check(isLengthIfGiven(options[name]), `${name} must be a number ≥ 0, got ${options[name]}`)
  }
  const { priority = 0, answers = 1 } = options
  problems.check(isCount(answers), `answers must be a whole number ≥ 1, got ${answers}`)
  problems.check(
    isPriority(priority),
    `priority must be a whole number of −${MOST_PRIORITY} … ${MOST_PRIORITY}, got ${priority}`,
  )
  problems.throwIfAny('request')
}

/** The same without the words: it is asked for every request. */
function isGood(options: AddOptions): boolean {
  for (const name in options) if (!KNOWN.has(name)) return false
  const { tokens, maxTokens, promptTokens, deadlineMs, timeoutMs, priority = 0, answers = 1 } = options
  return (
    isLengthIfGiven(tokens) &&
    isLengthIfGiven(maxTokens) &&
    isLengthIfGiven(promptTokens) &&
    isLengthIfGiven(deadlineMs) &&
    isLengthIfGiven(timeoutMs) &&
    isPriority(priority) &&
    isCount(answers)
  )
}

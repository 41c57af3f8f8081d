import type { LengthRequest } from '../predict/index.js'
import { checkRequest, isLengthIfGiven } from './checks.js'
import type { AddOptions, Retry } from './types.js'

/** What a request was added with, its estimate and its deadline apart: whatever the caller's object becomes later. */
export class Terms {
  readonly signal: AbortSignal | undefined
  readonly tenant: string | undefined
  readonly model: string | undefined
  /** For the estimator. */
  readonly request: LengthRequest | undefined
  readonly priority: number
  readonly promptTokens: number
  readonly maxTokens: number
  readonly answers: number
  readonly timeoutMs: number | undefined
  readonly retry: Retry | undefined

  constructor(options: AddOptions) {
    const { model, prompt, maxTokens } = options
    this.signal = options.signal
    this.tenant = options.tenant
    this.model = model
    this.request =
      model === undefined || prompt === undefined
        ? undefined
        : maxTokens === undefined
          ? { model, prompt }
          : { model, prompt, maxTokens }
    this.priority = options.priority ?? 0
    this.promptTokens = options.promptTokens ?? 0
    this.maxTokens = maxTokens ?? Number.POSITIVE_INFINITY
    this.answers = options.answers ?? 1
    this.timeoutMs = options.timeoutMs
    this.retry = options.retry
  }
}

const PLAIN = new Terms({})

/**
 * The terms of `options`; requests that say no more than a length share theirs.
 * @throws {ConfigError} `config_invalid`
 */
export function termsOf(options: AddOptions): Terms {
  if (isPlain(options)) return PLAIN
  checkRequest(options)
  return new Terms(options)
}

function isPlain(options: AddOptions): boolean {
  for (const name in options) if (name !== 'tokens') return false
  return isLengthIfGiven(options.tokens)
}

import { AdapterError } from '@trimtab/core'

/** What a refusal carries beside its status: the cause, and when to come again. */
export interface HttpErrorOptions extends ErrorOptions {
  readonly retryAfterSeconds?: number
}

/** An answer that the gateway gives itself, in the form that clients of OpenAI and of Anthropic read. */
export class HttpError extends AdapterError {
  readonly status: number
  /** When to come again, for the header `Retry-After`. */
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, code: string, message: string, options: HttpErrorOptions = {}) {
    super(code, message, options)
    this.status = status
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

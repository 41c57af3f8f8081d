import { TrimtabError } from '@trimtab/core'

/** An error as it travels between threads; cloning an `Error` would drop its code. */
export interface ErrorDescription {
  readonly name: string
  readonly message: string
  readonly stack?: string | undefined
  readonly code?: string | undefined
  readonly cause?: ErrorDescription | undefined
}

/** The error a job threw, as an error of this thread: its code is kept, or `job_failed` where it had none. */
export function toError({ name, message, stack, code, cause }: ErrorDescription): TrimtabError {
  const options = cause && { cause: toError(cause) }
  const error = new TrimtabError(code ?? 'job_failed', message, options)
  error.name = name
  if (stack !== undefined) error.stack = stack
  return error
}

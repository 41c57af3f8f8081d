import type { ActivationOutcome } from '@trimtab/openwhisk/server'
import type { CallEnd } from './function-container.js'

/** How a request ended, with those whose code did not load (`failed`). */
export type RequestEnd = CallEnd | { readonly how: 'failed'; readonly message: string }

/** A request's end in OpenWhisk's words. */
export function outcomeOf(end: RequestEnd): Pick<ActivationOutcome, 'status' | 'result' | 'timedOut'> {
  switch (end.how) {
    case 'result':
      return { status: 'error' in end.result ? 'application error' : 'success', result: end.result }
    case 'thrown':
      return developerError(`An error has occurred: ${end.message}`)
    case 'failed':
      return developerError(`Initialization has failed due to: ${end.message}`)
    case 'memory':
      return developerError('The action exhausted its memory and was aborted.')
    case 'timeout':
      return { ...developerError('The action exceeded its time limits.'), timedOut: true }
    case 'exit':
      return developerError('The action did not produce a valid response and exited unexpectedly.')
    case 'stopped':
      return { status: 'whisk internal error', result: { error: 'The platform stopped before the action had ended.' } }
    default:
      return end satisfies never
  }
}

const developerError = (error: string) => ({ status: 'action developer error', result: { error } }) as const

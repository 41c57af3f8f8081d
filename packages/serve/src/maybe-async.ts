export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'

/** Goes on with a value at once, or with that of a promise when it is there: sync stays sync. */
export function whenReady<T, R>(value: T | PromiseLike<T>, goOn: (value: T) => R): R | Promise<R> {
  return isThenable(value) ? Promise.resolve(value).then(goOn) : goOn(value as T)
}

/** Does work that is done in parts, all of it, and gives what it came to. */
export function runParts<Result>(parts: Generator<unknown, Result, void>): Result {
  for (;;) {
    const { done, value } = parts.next()
    if (done) return value
  }
}

/** Does work that is done in parts, all of it, and gives what it came to. @param onPart  hears what comes next */
export function runParts<Part, Result>(parts: Generator<Part, Result, void>, onPart?: (part: Part) => void): Result {
  for (;;) {
    const next = parts.next()
    if (next.done) return next.value
    onPart?.(next.value)
  }
}

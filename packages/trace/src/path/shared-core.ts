import { createTraceCoreSync, type TraceCore } from '@trimtab/core/trace'

let core: TraceCore | undefined

/** The core of functions that answer at once and were given none: started by the first of them, kept for the others. */
export function sharedCore(): TraceCore {
  core ??= createTraceCoreSync()
  return core
}

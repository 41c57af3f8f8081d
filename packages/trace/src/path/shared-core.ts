import type { Core } from '@trimtab/core'
import { createCoreSync } from '@trimtab/core/sync'

let core: Core | undefined

/** The core of functions that answer at once and were given none: started by the first of them, kept for the others. */
export function sharedCore(): Core {
  core ??= createCoreSync()
  return core
}

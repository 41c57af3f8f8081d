// The jobs of the worker pool: the rules of an arena, and one cell of a variant that learns.
import { createCore } from '@trimtab/core'
import { judgeArenaRules, runTenantsCell } from '@trimtab/studies'

const core = await createCore()

export const arenaRules = (spec) => judgeArenaRules(core, spec)

/** With the seconds that it took in this thread. */
export function tenantsCell(spec) {
  const start = performance.now()
  const cell = runTenantsCell(core, spec)
  return { ...cell, seconds: (performance.now() - start) / 1000 }
}

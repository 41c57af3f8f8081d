// The jobs of the worker pool: the rules of an arena, and one cell of a variant that learns.
import { createCore } from '@trimtab/core'
import { runTenantsCell } from '@trimtab/studies'
import { SERVERLESS_ARENAS } from '@trimtab/tasks/serverless'
import { judgeArena } from '../headroom/arena.mjs'

const core = await createCore()

export const rulesOfArena = ({ arena, scale }) =>
  judgeArena(
    core,
    SERVERLESS_ARENAS.find(({ name }) => name === arena),
    scale,
    () => {},
  )

/** With the seconds that it took in this thread. */
export function tenantsCell(spec) {
  const start = performance.now()
  const cell = runTenantsCell(core, spec)
  return { ...cell, seconds: (performance.now() - start) / 1000 }
}

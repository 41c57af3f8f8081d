// The rule that agents begin with and are measured by.
import { byOwnQueue, byTraces, CulpritPolicy, Localiser } from '@trimtab/tasks/microservices'

export const REPLACE_AFTER = 2 // seconds

export const localiserOf = ({ slosMs, usual }) => new Localiser({ slosMs, usual })

export const culprits = ({ core, deployed }, namers, more = {}) =>
  new CulpritPolicy({ name: 'culprits', math: core.math, deployed, namers, ...more })

export const namersOf = (setup) => [byTraces(localiserOf(setup)), byOwnQueue]

/** Localised, own queues too, then drain and replace. */
export const defaultRule = (setup, namers = namersOf(setup)) =>
  culprits(setup, namers, { replaceAfterSeconds: REPLACE_AFTER })

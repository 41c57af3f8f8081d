// Every agent that is compared, by name: how much of what (FIRM), what is done, and when.
import { FIRM_CONTINUOUS, MITIGATION_DDPG } from '@trimtab/tasks/microservices'
import { learnLimits } from './firm.mjs'
import { learnForesight } from './foresight.mjs'
import { learnMoves } from './moves.mjs'

const limits = (recipe) => ({ world: 'probe', arm: 'limits', learn: (spec) => learnLimits(recipe, spec) })

/** name → where it is judged, by which arm, and how it learns; taught: part of the episodes in which the rule acts. */
export const VARIANTS = {
  untrained: { label: 'FIRM as printed, untrained', ...limits({ preset: FIRM_CONTINUOUS }) },
  printed: { label: 'FIRM as printed, trained', ...limits({ preset: FIRM_CONTINUOUS, taught: 0 }) },
  imitation: {
    label: 'better recipe, from imitation of the rule',
    ...limits({ preset: MITIGATION_DDPG, taught: 0.3 }),
  },
  moves: {
    label: 'what is done: rule, replace, scale out or leave',
    world: 'standard',
    arm: 'moves',
    learn: learnMoves,
  },
  foresight: { label: 'when: whom traces will name', world: 'standard', arm: 'foresight', learn: learnForesight },
}

// Who acts. The policies are those of the simulator.
import {
  AimdEverywhere,
  byOwnQueue,
  byTraces,
  CONTINUOUS_ACTION,
  CulpritPolicy,
  LIMIT_RANGE,
  Localiser,
  NO_MITIGATION,
} from '@trimtab/tasks/microservices'
import { STEP_SECONDS } from './world.mjs'

/** Of a second, as in the simulator: a quarter more, a tenth less. */
const AIMD = { increase: 0.25 * STEP_SECONDS, decrease: 0.9 ** STEP_SECONDS }
const REPLACE_AFTER_SECONDS = 2 * STEP_SECONDS

/** Every limit a little higher, each time that an instance is named. */
const ADDITIVE_ACTION = {
  ...CONTINUOUS_ACTION,
  factors: (_, __, current) => current.map((factor) => Math.min(LIMIT_RANGE[1], factor + AIMD.increase)),
}

/** name → { label, make({ core, healthy, deployed }) } */
export const ARMS = {
  none: { label: 'no control', make: () => NO_MITIGATION },
  aimd: {
    label: 'AIMD everywhere',
    make: ({ healthy: { slosMs }, deployed }) => new AimdEverywhere(deployed, { slosMs, ...AIMD }),
  },
  'aimd-named': {
    label: 'AIMD on the named culprit',
    make: (setup) =>
      culprits(setup, [byTraces(new Localiser(setup.healthy))], {
        ...{ action: ADDITIVE_ACTION, release: AIMD.decrease, holdSeconds: STEP_SECONDS / 2 },
      }),
  },
  firm: {
    label: 'FIRM: all limits of the named culprit up, own queues too, then replaced',
    make: (setup) =>
      culprits(setup, [byTraces(new Localiser(setup.healthy)), byOwnQueue], {
        replaceAfterSeconds: REPLACE_AFTER_SECONDS,
      }),
  },
}

const culprits = ({ core, deployed }, namers, more) =>
  new CulpritPolicy({ name: 'culprits', math: core.math, deployed, namers, ...more })

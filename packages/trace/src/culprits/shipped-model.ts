// Written by scripts/fit-culprits.mjs.
import type { CulpritModel } from './model.js'

/** What `rankCulprits` weighs evidence by when it is given nothing else. */
export const SHIPPED_MODEL: CulpritModel = {
  weights: {
    callDelay: 1.147,
    ownDelay: 0.865,
    outgoingDelay: 0.834,
    callShare: 1.054,
    ownShare: 0.759,
    behaviour: 0.881,
  },
  fittedOn: '74 incidents of Online Boutique and Train-Ticket (Nezha, github.com/IntelligentDDS/Nezha, MIT)',
}

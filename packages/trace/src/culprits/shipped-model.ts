// Written by scripts/fit-culprits.mjs.
import type { CulpritModel } from './model.js'

/** What `rankCulprits` weighs evidence by when it is given nothing else. */
export const SHIPPED_MODEL: CulpritModel = {
  weights: {
    callDelay: 1.128,
    ownDelay: 0.85,
    outgoingDelay: 0.822,
    callShare: 1.026,
    ownShare: 0.727,
    behaviour: 0.929,
  },
  fittedOn: '74 incidents of Online Boutique and Train-Ticket (Nezha, github.com/IntelligentDDS/Nezha, MIT)',
}

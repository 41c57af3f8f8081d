import { type CulpritModel, EQUAL_WEIGHTS } from './model.js'

/** What `rankCulprits` weighs evidence by when it is given nothing else. */
export const SHIPPED_MODEL: CulpritModel = EQUAL_WEIGHTS

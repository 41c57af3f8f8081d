import { LearnExports } from './exports/learn.js'
import type { Entry } from './start.js'

/** The kernels that learn. A file of its own: who starts one build of them imports no other. */
export const LEARN: Entry<'learn'> = { kernels: 'learn', exports: LearnExports }

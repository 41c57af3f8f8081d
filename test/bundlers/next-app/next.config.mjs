import { join } from 'node:path'

/** Where the packages lie: those of the test one folder up, Next itself three. */
const root = join(import.meta.dirname, '../../..')

export default { turbopack: { root }, outputFileTracingRoot: root }

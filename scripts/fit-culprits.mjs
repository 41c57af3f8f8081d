// Fits the weights that `rankCulprits` ships with to every incident of both systems, and writes them down.
// Usage: node scripts/fit-culprits.mjs      needs ../shared/data/traces and a build
// How well such weights do on a system that they were not fitted on: npm run experiment -- culprits
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTraceCore, EVIDENCE, fitCulpritModel } from '@trimtab/trace'
import { hasIncidents, readIncidents, SYSTEMS } from '../test/experiments/nezha.mjs'
import { ROOT } from './stamp.mjs'

if (!hasIncidents()) process.exit(1)
const core = await createTraceCore()
const incidents = []
for (const system of Object.keys(SYSTEMS)) incidents.push(...(await readIncidents(system, core)))
const { weights } = fitCulpritModel(
  core,
  incidents.map(({ example }) => example),
  { fittedOn: 'everything' },
)
const lines = EVIDENCE.map((name) => `    ${name}: ${Number(weights[name].toFixed(3))},`)
writeFileSync(
  join(ROOT, 'packages/trace/src/culprits/shipped-model.ts'),
  `// Written by scripts/fit-culprits.mjs.
import type { CulpritModel } from './model.js'

/** What \`rankCulprits\` weighs evidence by when it is given nothing else. */
export const SHIPPED_MODEL: CulpritModel = {
  weights: {
${lines.join('\n')}
  },
  fittedOn: '${incidents.length} incidents of ${Object.keys(SYSTEMS).join(' and ')} (Nezha, github.com/IntelligentDDS/Nezha, MIT)',
}
`,
)

// Run by `npm pack` and `npm publish` in the folder of a package: builds what is stale, declarations included, and refuses to pack a package that
// lacks a file which its manifest names.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { manifestOf, missingFiles } from './packages.mjs'
import { ROOT } from './stamp.mjs'

const build = [join(ROOT, 'scripts/build.mjs'), '--quiet', '--types']
const { status } = spawnSync(process.execPath, build, { stdio: ['ignore', 2, 2] }) // stdout is npm's, whose --json somebody may read

const { name } = manifestOf('.')
const missing = missingFiles('.')
if (status !== 0) {
  console.error(`${name} is not packed: it does not build (node scripts/build.mjs --types)`)
  process.exitCode = 1
} else if (missing.length > 0) {
  console.error(`${name} is not packed: ${missing.join(', ')} not there after the build (see exports in package.json)`)
  process.exitCode = 1
}

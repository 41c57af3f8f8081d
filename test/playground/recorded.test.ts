import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SLOW_MS = 600_000

// In a process of its own: what vitest makes of the sources runs at half the speed.
it(
  'the recorded runs and the pool are what their code makes now',
  () => promisify(execFile)(process.execPath, ['scripts/make-episodes.mjs', '--check'], { cwd: ROOT }),
  SLOW_MS,
)

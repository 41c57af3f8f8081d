// Installs a test folder's own package.json on demand, so that `npm ci` at the root stays small.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Runs `npm ci` in `folder` when its lock file has changed since the last time. */
export function installHere(folder) {
  const digest = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  const stamp = join(folder, 'node_modules/.installed')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  console.error(`installing what ${folder} needs`)
  const { status } = spawnSync('npm', ['ci', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) throw new Error(`npm ci in ${folder} failed with ${status}`)
  writeFileSync(stamp, digest)
}

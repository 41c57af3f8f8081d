// Packs every published package and installs the tarballs into an empty folder, as a user's `npm install` would.
import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { manifestOf, publishedFolders } from '../../scripts/packages.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const execute = promisify(execFile)

/** What they depend on beyond each other, and what that depends on: packed from node_modules, so that nothing here needs a network. */
function foreignFolders(folders) {
  const ours = new Set(folders.map((folder) => manifestOf(folder).name))
  const found = new Set()
  const visit = (folder) => {
    for (const name of Object.keys(manifestOf(folder).dependencies ?? {})) {
      const dependency = join(ROOT, 'node_modules', name)
      if (ours.has(name) || found.has(dependency)) continue
      found.add(dependency)
      visit(dependency)
    }
  }
  folders.forEach(visit)
  return [...found]
}

/**
 * Empties `folder` and installs our tarballs there.
 * @returns name → the paths inside that package's tarball
 */
export async function installPacked(folder) {
  const published = publishedFolders().map((name) => join(ROOT, name))
  const tarballs = join(folder, 'tarballs')
  await rm(folder, { recursive: true, force: true })
  await mkdir(tarballs, { recursive: true })
  const npm = async (...args) => (await execute('npm', args, { cwd: folder, maxBuffer: 1 << 26 })).stdout
  const packed = JSON.parse(
    await npm(
      'pack',
      '--json',
      '--ignore-scripts',
      '--pack-destination',
      tarballs,
      ...published,
      ...foreignFolders(published),
    ),
  )
  await writeFile(join(folder, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }\n')
  await npm('install', '--offline', '--loglevel=error', ...packed.map(({ filename }) => join(tarballs, filename)))
  return Object.fromEntries(packed.map(({ name, files }) => [name, files.map(({ path }) => path)]))
}

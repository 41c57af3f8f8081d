// Every published package packed and the tarballs installed into an empty folder, as a user's `npm install` would: once for all who check
// something there, again only when something that goes into a tarball has changed.
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { manifestOf, publishedFolders } from '../../scripts/packages.mjs'
import { isFresh, ROOT, writeStamp } from '../../scripts/stamp.mjs'

/** What is kept: a copy of the folder that the tarballs were installed into, themselves included. */
const KEPT = fileURLToPath(new URL('build/packed', import.meta.url))
const execute = promisify(execFile)

/** Whatever a tarball is made of, and a little more: the folders that `files` names patterns in. */
const inputs = () => [
  ...publishedFolders().flatMap((folder) =>
    ['package.json', 'README.md', 'LICENSE', ...new Set(manifestOf(join(ROOT, folder)).files.map(firstPart))].map(
      (path) => `${folder}/${path}`,
    ),
  ),
  'package-lock.json',
  'test/packaging/install-packed.mjs',
]
const firstPart = (pattern) => pattern.split('/')[0]

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

/** Packs and installs in an empty folder, and lists there what each tarball holds. */
async function packAndInstall(folder) {
  const published = publishedFolders().map((name) => join(ROOT, name))
  const tarballs = join(folder, 'tarballs')
  await mkdir(tarballs)
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
  await writeFile(join(tarballs, 'packed.json'), JSON.stringify(packed))
}

/** Makes what is kept where it is stale. Whoever does so at the same time finds all of it or nothing there. */
async function keepPacked() {
  if (isFresh(KEPT, inputs())) return
  const outside = await mkdtemp(join(tmpdir(), 'trimtab-packed-')) // where nothing of the workspace can help
  const made = `${KEPT}-${process.pid}`
  try {
    writeStamp(made, inputs()) // before it is packed: what changes meanwhile makes it stale
    await packAndInstall(outside)
    await cp(outside, made, { recursive: true, verbatimSymlinks: true })
    if (isFresh(KEPT, inputs())) return // somebody else was faster
    await rm(KEPT, { recursive: true, force: true })
    await rename(made, KEPT)
  } finally {
    for (const folder of [outside, made]) await rm(folder, { recursive: true, force: true })
  }
}

/** Where the tarball of one of our packages lies, once it is made: by the name that npm gives it. @param folder  below the root */
export function tarballOf(folder) {
  const { name, version } = manifestOf(join(ROOT, folder))
  return join(KEPT, `tarballs/${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
}

/**
 * Empties `folder` and puts there what npm has installed from our tarballs.
 * @returns name → the paths inside that package's tarball
 */
export async function installPacked(folder) {
  await keepPacked()
  await rm(folder, { recursive: true, force: true })
  await cp(KEPT, folder, { recursive: true, verbatimSymlinks: true })
  const packed = JSON.parse(await readFile(join(folder, 'tarballs/packed.json'), 'utf8'))
  return Object.fromEntries(packed.map(({ name, files }) => [name, files.map(({ path }) => path)]))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await keepPacked()

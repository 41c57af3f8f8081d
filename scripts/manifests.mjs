// Usage: node scripts/manifests.mjs [--write]     what the manifests of the published packages say alike, checked or written
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestOf, publishedFolders } from './packages.mjs'
import { REPOSITORY } from './repository.mjs'
import { ROOT } from './stamp.mjs'

const { version, license, engines } = manifestOf(ROOT)

/** Fields that every package has, but for what is its own; undefined: must not be there. */
const sharedBy = (folder) => ({
  version,
  license,
  engines,
  type: 'module',
  sideEffects: false,
  homepage: REPOSITORY ? `${REPOSITORY}/tree/main/${folder}#readme` : undefined,
  repository: REPOSITORY ? { type: 'git', url: `git+${REPOSITORY}.git`, directory: folder } : undefined,
  bugs: REPOSITORY ? `${REPOSITORY}/issues` : undefined,
  scripts: { prepack: 'node ../../scripts/prepack.mjs' },
})

const folders = publishedFolders()
const isOurs = (name) => name.startsWith('@trimtab/')
const problems = []
for (const folder of folders) {
  const manifest = manifestOf(join(ROOT, folder))
  const shared = sharedBy(folder)
  if (process.argv.includes('--write')) {
    Object.assign(manifest, shared)
    for (const needed of [manifest.dependencies, manifest.peerDependencies])
      for (const name of Object.keys(needed ?? {}).filter(isOurs)) needed[name] = version
    writeFileSync(join(ROOT, folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  }
  for (const [field, value] of Object.entries(shared)) {
    if (JSON.stringify(manifest[field]) !== JSON.stringify(value))
      problems.push(`${folder}: ${field} is not ${JSON.stringify(value)} (node scripts/manifests.mjs --write)`)
  }
  for (const [name, wanted] of Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    if (isOurs(name) && wanted !== version) problems.push(`${folder}: ${name} is ${wanted}, not ${version}`)
  }
  if (!manifest.description) problems.push(`${folder}: a description is missing`)
  if (!(manifest.keywords?.length >= 3)) problems.push(`${folder}: keywords are missing, three or more`)
  for (const file of ['README.md', 'LICENSE'])
    if (!existsSync(join(ROOT, folder, file))) problems.push(`${folder}: ${file} is missing`)
}
for (const problem of problems) console.log(`  ${problem}`)
console.log(`${folders.length} manifests, ${problems.length} problems`)
process.exitCode = problems.length > 0 ? 1 : 0

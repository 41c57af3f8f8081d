// Usage: node scripts/release.mjs [--dry-run]     publishes every package in the one version of package.json, those first that others need
//
// Refuses, with every reason at once, before anything is published. What the registry has in this version already is left out, so that a
// release which broke off goes on by the same command. --dry-run asks npm about each package and publishes none; it ends with 1 where the
// release would be refused.
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { manifestOf, missingFiles, publishedFolders, publishOrder } from './packages.mjs'
import { REPOSITORY } from './repository.mjs'
import { ROOT } from './stamp.mjs'

const execute = promisify(execFile)

/**
 * Why a release is refused.
 * @param release  `changed`: files that differ from the last commit; `outOfStep`: what scripts/manifests.mjs says; `missing`: files that
 *   manifests name and the build has not made; `repository`; `version`; `changelog`: the text
 * @returns a line each, with the way out; none when it may go on
 */
export function reasonsAgainst({ changed, outOfStep, missing, repository, version, changelog }) {
  return [
    ...(changed.length > 0 ? [`the tree is not clean: commit or put away ${changed.join(', ')}`] : []),
    ...outOfStep,
    ...missing.map((file) => `${file} is missing: npm run build`),
    ...(repository === '' ? ['the address of the repository is not set: scripts/repository.mjs'] : []),
    ...(changelog.split('\n').some((line) => line.startsWith(`## ${version}`))
      ? []
      : [`CHANGELOG.md has no section ${version}: rename Unreleased`]),
  ]
}

/** The lines that a program prints, whether it ends well or not. */
const linesOf = (program, args) =>
  spawnSync(program, args, { cwd: ROOT, encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => line !== '')

function lookAround(folders, version) {
  return {
    version,
    repository: REPOSITORY,
    changed: linesOf('git', ['status', '--porcelain']).map((line) => line.slice(3)),
    outOfStep: linesOf(process.execPath, ['scripts/manifests.mjs'])
      .filter((line) => line.startsWith(' '))
      .map((line) => line.trim()),
    missing: folders.flatMap((folder) => missingFiles(join(ROOT, folder)).map((file) => join(folder, file))),
    changelog: readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'),
  }
}

const isPublished = ({ name, version }) =>
  execute('npm', ['view', `${name}@${version}`, 'version']).then(
    ({ stdout }) => stdout.trim() === version,
    () => false,
  )

/** All is built and looked at by then: npm need not do it again for each. */
async function publish({ folder, name }, ...flags) {
  const args = ['publish', '--ignore-scripts', '--access', 'public', '--json', ...flags]
  const { stdout } = await execute('npm', args, { cwd: join(ROOT, folder), maxBuffer: 1 << 26 })
  const said = JSON.parse(stdout)
  return said[name] ?? said // by name since npm 11
}

async function release(isDryRun) {
  const folders = publishedFolders()
  const { version } = manifestOf(ROOT)
  const { status } = spawnSync(process.execPath, [join(ROOT, 'scripts/build.mjs'), '--quiet', '--types'], {
    stdio: 'inherit',
  })
  const against = [
    ...(status === 0 ? [] : ['the packages do not build: npm run build']),
    ...reasonsAgainst(lookAround(folders, version)),
  ]
  const packages = publishOrder(folders.map((folder) => ({ ...manifestOf(join(ROOT, folder)), folder })))
  if (against.length === 0 || isDryRun) {
    for (const [i, one] of packages.entries()) {
      const place = `${String(i + 1).padStart(2)} of ${packages.length}  ${one.name}@${one.version}`
      const published = await publish(one, ...(isDryRun ? ['--dry-run'] : [])).catch(async (error) => {
        if (!(await isPublished(one))) throw error // npm refuses what is there
      })
      console.log(
        published
          ? `${place}  ${(published.size / 1e3).toFixed(0)} kB, ${published.entryCount} files`
          : `${place}  is there already`,
      )
    }
  }
  for (const reason of against) console.error(`refused: ${reason}`)
  console.log(
    isDryRun
      ? 'nothing was published: --dry-run'
      : against.length > 0
        ? 'nothing was published'
        : `${version} is published`,
  )
  process.exitCode = against.length > 0 ? 1 : 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [flag, ...rest] = process.argv.slice(2)
  if (rest.length > 0 || (flag !== undefined && flag !== '--dry-run')) {
    console.error('usage: node scripts/release.mjs [--dry-run]')
    process.exitCode = 2
  } else await release(flag !== undefined)
}

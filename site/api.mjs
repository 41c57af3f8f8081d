// The API reference: every subpath of `trimtab`, from the doc comments, by TypeDoc.
import { readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { Application } from 'typedoc'
import { ROOT } from '../scripts/stamp.mjs'

const PACKAGE = join(ROOT, 'packages/cli')

/** Source → subpath. */
function subpaths() {
  const { name, exports } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))
  return new Map(
    Object.entries(exports).flatMap(([path, { '@trimtab/source': source }]) =>
      source ? [[join(PACKAGE, source).split(sep).join('/'), `${name}${path.slice(1)}`]] : [],
    ),
  )
}

/**
 * Writes the reference.
 * @returns how many modules it has
 * @throws {Error} when a comment cannot be read, or links to what is not there
 */
export async function buildApi(out) {
  const names = subpaths()
  const app = await Application.bootstrap({
    name: 'Trimtab API',
    entryPoints: [...names.keys()],
    tsconfig: join(ROOT, 'site/tsconfig.json'),
    skipErrorChecking: true, // `npm run check` does it
    readme: 'none',
    sortEntryPoints: false,
    disableGit: true,
    disableSources: true,
    excludePrivate: true,
    hideGenerator: true,
    githubPages: false,
    validation: { notExported: false, invalidLink: true, notDocumented: false },
    logLevel: 'Warn',
  })
  const modules = app.getEntryPoints() ?? []
  for (const module of modules) module.displayName = names.get(module.sourceFile.fileName)
  if (modules.length < names.size) throw new Error(`API reference: ${names.size} subpaths, ${modules.length} found`)
  const project = app.converter.convert(modules)
  app.validate(project)
  await app.generateDocs(project, out)
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error('API reference: see above')
  return modules.length
}

// The API reference: every subpath of `trimtab`, from the doc comments, by TypeDoc.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { Application, Comment, CommentTag } from 'typedoc'
import { publishedFolders } from '../scripts/packages.mjs'
import { ROOT } from '../scripts/stamp.mjs'
import { navigation } from './navigation.mjs'

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

/** Package → what its manifest says it is. */
const descriptions = () =>
  new Map(
    publishedFolders().map((folder) => {
      const { name, description } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
      return [name, description]
    }),
  )

/** What a subpath is: the description of the package that it hands on, or what its own source begins with. */
function descriptionOf(file, described) {
  const source = readFileSync(file, 'utf8')
  const [, handedOn] = /^export \* from '(@trimtab\/[\w-]+)/m.exec(source) ?? []
  return described.get(handedOn) ?? /^\/\/ (.*)/.exec(source)?.[1]
}

/** The way to the other parts, on every page. */
function addNavigation(out) {
  for (const file of readdirSync(out, { recursive: true })) {
    if (!file.endsWith('.html')) continue
    const path = join(out, file)
    const root = relative(dirname(path), dirname(out)).split(sep).join('/')
    const html = readFileSync(path, 'utf8')
    writeFileSync(
      path,
      html.replace('<header class="tsd-page-toolbar">', (header) => `${navigation(root, 'API')}${header}`),
    )
  }
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
    customCss: join(ROOT, 'site/api.css'),
    validation: { notExported: false, invalidLink: true, notDocumented: false },
    logLevel: 'Warn',
  })
  const modules = app.getEntryPoints() ?? []
  for (const module of modules) module.displayName = names.get(module.sourceFile.fileName)
  if (modules.length < names.size) throw new Error(`API reference: ${names.size} subpaths, ${modules.length} found`)
  const project = app.converter.convert(modules)
  const described = descriptions()
  const sources = new Map([...names].map(([source, subpath]) => [subpath, source]))
  for (const module of project.children) {
    const text = descriptionOf(sources.get(module.name), described)
    if (text === undefined) throw new Error(`API reference: ${module.name} does not say what it is`)
    const words = [{ kind: 'text', text }]
    module.comment ??= new Comment(words)
    module.comment.blockTags.push(new CommentTag('@summary', words)) // what the list of modules shows
  }
  app.validate(project)
  await app.generateDocs(project, out)
  addNavigation(out)
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error('API reference: see above')
  return modules.length
}

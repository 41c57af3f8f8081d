// Writes what TypeScript knows of the wasm modules from assembly/: the constants of abi.ts as packages/core/src/abi.ts, and in
// packages/core/src/exports/ a class for each entry with one typed, guarded method for each function that it exports.
// Usage: node scripts/build-abi.mjs [--check]   (--check: writes nothing, fails when a file is not what it would write)
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { ROOT } from './stamp.mjs'

const ASSEMBLY = join(ROOT, 'assembly')
const OUT = join(ROOT, 'packages/core/src')
const HEADER = '// Generated from assembly/ by scripts/build-abi.mjs.'

/** What crosses the border, each as a `number`. */
const NUMBERS = ['i32', 'u32', 'f32', 'f64', 'usize', 'bool', 'Real']
/** Of these, what JavaScript gets as a signed word although it is none: an address above 2 GiB would be negative. */
const UNSIGNED = ['u32', 'usize']

const ENTRIES = [
  { name: 'learn', what: 'kernels of what learns' },
  { name: 'trace', what: 'kernels of what reads traces' },
  { name: 'serve', what: 'kernels of what serves requests' },
]

const parse = (path) => ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
const isExported = (node) => node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false

/** The functions that a module exports, its own and those that it hands on, by name. */
function functionsOf(path) {
  const found = new Map()
  for (const statement of parse(path).statements) {
    if (ts.isFunctionDeclaration(statement) && isExported(statement)) found.set(statement.name.text, statement)
    if (!ts.isExportDeclaration(statement)) continue
    const target = `${join(dirname(path), statement.moduleSpecifier.text)}.ts`
    const all = functionsOf(target)
    for (const name of statement.exportClause?.elements.map((element) => element.name.text) ?? all.keys()) {
      if (!all.has(name)) throw new Error(`${path} exports ${name}, which is no function of ${target}`)
      found.set(name, all.get(name))
    }
  }
  return found
}

/** The text of the method that stands before an exported function. */
function methodOf(name, declaration) {
  const numberOf = (node) => {
    const type = node?.getText()
    if (!NUMBERS.includes(type)) throw new Error(`${name} has a ${type}: only ${NUMBERS.join(', ')} cross the border`)
    return type
  }
  const names = declaration.parameters.map((parameter) => {
    numberOf(parameter.type)
    if (parameter.initializer) throw new Error(`${name} has an optional parameter, which wasm has not`)
    return parameter.name.getText()
  })
  const result = declaration.type.getText()
  const call = `this.raw.${name}!(${names.join(', ')})`
  const returned =
    result === 'void' ? call : `return ${call}${UNSIGNED.includes(numberOf(declaration.type)) ? ' >>> 0' : ''}`
  const doc = ts.getJSDocCommentsAndTags(declaration).at(-1)?.getText() ?? ''
  return `
  ${doc}
  ${name}(${names.map((parameter) => `${parameter}: number`).join(', ')}): ${result === 'void' ? 'void' : 'number'} {
    try {
      ${returned}
    } catch (cause) {
      throw this.failed('${name}', cause)
    }
  }`
}

const titleOf = (name) => `${name[0].toUpperCase()}${name.slice(1)}Exports`

/** @param inherited  names that the base class has */
function classOf({ name, what }, base, from, inherited = []) {
  const methods = [...functionsOf(join(ASSEMBLY, `${name}.ts`))]
    .filter(([method]) => !inherited.includes(method))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `${HEADER}
import { ${base} } from '${from}'

/** What assembly/${name}.ts exports: ${what}. Pointers are byte offsets in \`memory\`. */
export class ${titleOf(name)} extends ${base} {${methods.map(([method, declaration]) => methodOf(method, declaration)).join('\n')}
}
`
}

/** The classes' files, what all entries share first. */
function classes() {
  const shared = [...functionsOf(join(ASSEMBLY, 'shared.ts')).keys()]
  return [
    [
      'shared',
      classOf({ name: 'shared', what: 'memory, mathematics and chance, in every module' }, 'Gate', '../gate.js'),
    ],
    ...ENTRIES.map((entry) => [entry.name, classOf(entry, titleOf('shared'), './shared.js', shared)]),
  ].map(([name, text]) => [join(OUT, `exports/${name}.ts`), text])
}

function constants() {
  const blocks = parse(join(ASSEMBLY, 'abi.ts')).statements.map((statement) => {
    const before = statement.getFullText().slice(0, statement.getStart() - statement.getFullStart())
    const comments = before.split('\n').filter((line) => line.startsWith('//') && !line.startsWith('// @ts-'))
    const docs = (statement.jsDoc ?? []).map((doc) => doc.getText())
    const [{ name, initializer }] = statement.declarationList.declarations
    const lines = [...comments, ...docs, `export const ${name.text} = ${initializer.getText()}`]
    return (lines.length > 1 ? '\n' : '') + lines.join('\n')
  })
  return `${HEADER}\n${blocks.join('\n')}\n`
}

const format = (path, text) =>
  execFileSync(join(ROOT, 'node_modules/.bin/biome'), ['format', `--stdin-file-path=${path}`], {
    input: text,
    encoding: 'utf8',
    cwd: ROOT,
  })

/** @returns the files that were not what they had to be; without `check` they now are */
export function buildAbi({ check = false } = {}) {
  const files = [[join(OUT, 'abi.ts'), constants()], ...classes()]
  return files.flatMap(([path, raw]) => {
    const text = format(path, raw)
    if (existsSync(path) && readFileSync(path, 'utf8') === text) return []
    if (!check) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
    return [path.slice(ROOT.length)]
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes('--check')
  const stale = buildAbi({ check })
  if (check && stale.length > 0) {
    console.error(`stale: ${stale.join(', ')} (run npm run build and commit what it writes)`)
    process.exitCode = 1
  }
}

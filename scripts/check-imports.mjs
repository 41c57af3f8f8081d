// Usage: node scripts/check-imports.mjs     imports go down only, into no other package's src, and in no circle
//
// Every import counts, types included: who needs another file's types cannot be understood without it either.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')

/** What each floor may stand on: everything below it, nothing beside it (`docs/architecture.md`). */
const FLOORS = [
  ['@trimtab/core'],
  ['@trimtab/learn', '@trimtab/trace', '@trimtab/serve'],
  ['@trimtab/control', '@trimtab/tasks', '@trimtab/onnx'],
  ['@trimtab/studies'],
  ['@trimtab/node'],
  ['@trimtab/influxdb', '@trimtab/nats', '@trimtab/prometheus'],
  ['@trimtab/gateway', '@trimtab/kubernetes', '@trimtab/linux', '@trimtab/nvml', '@trimtab/openwhisk'],
  ['@trimtab/local', '@trimtab/operator'],
  ['trimtab'],
  ['@trimtab/playground'],
]
const floorOf = new Map(FLOORS.flatMap((names, floor) => names.map((name) => [name, floor])))

const folders = ['packages', 'adapters']
  .flatMap((group) => readdirSync(join(ROOT, group)).map((name) => join(ROOT, group, name)))
  .concat(join(ROOT, 'playground'))
  .filter((folder) => existsSync(join(folder, 'package.json')))
const packages = folders.map((folder) => ({
  folder,
  name: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name,
  files: readdirSync(join(folder, 'src'), { recursive: true })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, 'src', file)),
}))
const names = packages.map(({ name }) => name)

const problems = []
const nameOf = (file) => relative(ROOT, file).split(sep).join('/')

/** What a file imports or re-exports: `[specifier, line]`. */
function importsOf(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest)
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1
  const found = []
  const visit = (node) => {
    const isStatic = (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier
    const isDynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
    const specifier = isStatic ? node.moduleSpecifier : isDynamic ? node.arguments[0] : undefined
    if (specifier && ts.isStringLiteral(specifier)) found.push([specifier.text, lineOf(specifier.pos)])
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** The workspace package that a specifier names; `undefined`: none. */
const packageOf = (specifier) => names.find((name) => specifier === name || specifier.startsWith(`${name}/`))

for (const { name } of packages) if (!floorOf.has(name)) problems.push(`${name} stands on no floor: add it to FLOORS`)

const graph = new Map()
for (const { name, folder, files } of packages) {
  for (const file of files) {
    const edges = []
    graph.set(file, edges)
    for (const [specifier, line] of importsOf(file)) {
      const at = `${nameOf(file)}:${line}`
      const other = packageOf(specifier)
      if (specifier.startsWith('.')) {
        const target = resolve(dirname(file), specifier).replace(/\.js$/, '.ts')
        if (!target.startsWith(folder + sep)) problems.push(`${at} reaches out of its package: ${specifier}`)
        else edges.push(target)
      } else if (other !== undefined && other !== name) {
        if (specifier.startsWith(`${other}/src`))
          problems.push(`${at} reaches into another package's src: ${specifier}`)
        if (!(floorOf.get(other) < floorOf.get(name)))
          problems.push(`${at} imports ${other}, which is not below ${name}`)
      }
    }
  }
}

// Folders beside each other that import from each other; a folder and one inside it may.
const fromFolder = new Map()
for (const [file, edges] of graph) {
  for (const target of edges)
    fromFolder.set(`${dirname(file)}\n${dirname(target)}`, `${nameOf(file)} → ${nameOf(target)}`)
}
for (const [pair, edge] of fromFolder) {
  const [here, there] = pair.split('\n')
  const isInside = `${here}/`.startsWith(`${there}/`) || `${there}/`.startsWith(`${here}/`)
  const back = fromFolder.get(`${there}\n${here}`)
  if (!isInside && here < there && back !== undefined) problems.push(`a circle of folders: ${edge}, ${back}`)
}

// Tarjan: files that reach each other.
const order = new Map()
const low = new Map()
const stack = []
function visit(file) {
  order.set(file, order.size)
  low.set(file, order.get(file))
  stack.push(file)
  for (const next of graph.get(file) ?? []) {
    if (!graph.has(next)) continue
    if (!order.has(next)) visit(next)
    if (stack.includes(next)) low.set(file, Math.min(low.get(file), low.get(next)))
  }
  if (low.get(file) !== order.get(file)) return
  const circle = stack.splice(stack.indexOf(file))
  if (circle.length > 1) problems.push(`a circle: ${circle.map(nameOf).join(' ↔ ')}`)
}
for (const file of graph.keys()) if (!order.has(file)) visit(file)

console.log(`${graph.size} files of ${packages.length} packages, ${problems.length} problems`)
for (const problem of problems) console.log(`  ${problem}`)
process.exitCode = problems.length > 0 ? 1 : 0

// Usage: node scripts/check-docs.mjs [--members] [PACKAGE…]     every exported symbol has a doc comment; counts per package
//
// What a package exports is what its package.json says, and a name means one thing in all of them. A symbol without a doc comment fails the check, and so does a method, getter or
// function-typed member of an exported class or interface; one that implements or overrides a documented one has that one's comment.
// Plain fields are only counted (and listed with --members): a name with its unit often says all there is. Members named by a symbol
// (`[Symbol.dispose]`) are the language's. A function that the wasm core exports says the shapes, in brackets, of what its pointers find.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const CONDITION = '@trimtab/source'
const args = process.argv.slice(2)
const listsFields = args.includes('--members')
const wanted = args.filter((arg) => !arg.startsWith('--'))

const packages = ['packages', 'adapters']
  .flatMap((group) => readdirSync(join(ROOT, group)).map((name) => join(ROOT, group, name)))
  .filter((folder) => existsSync(join(folder, 'package.json')))
  .map((folder) => {
    const { name, exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const entries = Object.values(exports).flatMap((target) => target[CONDITION] ?? [])
    return { name, folder, entries: entries.map((entry) => join(folder, entry)) }
  })

const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile).config,
  ts.sys,
  ROOT,
)
const program = ts.createProgram(
  packages.flatMap(({ entries }) => entries),
  {
    ...options,
    composite: false,
    noEmit: true,
    emitDeclarationOnly: false,
    declaration: false,
    isolatedDeclarations: false,
    types: ['node'],
  },
)
const checker = program.getTypeChecker()

const hasComment = (symbol) =>
  symbol.getDocumentationComment(checker).length > 0 || symbol.getJsDocTags(checker).length > 0

const place = (declaration, file = declaration.getSourceFile()) => {
  const { line } = file.getLineAndCharacterOfPosition(declaration.getStart(file))
  return `${relative(ROOT, file.fileName).split(sep).join('/')}:${line + 1}`
}

/** Every symbol that the package exports and declares itself, aliases followed, once each. */
function exportedSymbols({ folder, entries }) {
  const symbols = new Map()
  for (const entry of entries) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry))
    if (module === undefined) continue
    for (const exported of checker.getExportsOfModule(module)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
      const declaration = symbol.declarations?.[0]
      const isOwn = declaration?.getSourceFile().fileName.startsWith(`${folder.split(sep).join('/')}/`)
      if (isOwn && !symbols.has(symbol)) symbols.set(symbol, declaration)
    }
  }
  return symbols
}

const isPublic = (declaration) => {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected
  return (
    !(ts.getCombinedModifierFlags(declaration) & hidden) &&
    !(declaration.name && ts.isPrivateIdentifier(declaration.name))
  )
}

const isCallable = (declaration) =>
  ts.isMethodDeclaration(declaration) ||
  ts.isMethodSignature(declaration) ||
  ts.isAccessor(declaration) ||
  (declaration.type !== undefined && ts.isFunctionTypeNode(declaration.type))

/** Public members that an exported class or interface declares itself. */
function* membersOf(symbol) {
  for (const declaration of symbol.declarations ?? []) {
    if (!ts.isClassDeclaration(declaration) && !ts.isInterfaceDeclaration(declaration)) continue
    const seen = new Set()
    for (const member of declaration.members) {
      if (
        member.name === undefined ||
        ts.isComputedPropertyName(member.name) ||
        !isPublic(member) ||
        seen.has(member.name.getText())
      )
        continue
      seen.add(member.name.getText())
      const found = checker.getSymbolAtLocation(member.name)
      if (found !== undefined)
        yield { owner: symbol, member: found, declaration: member, isCallable: isCallable(member) }
    }
  }
}

/** Whether the member, or the one that it implements or overrides, has a comment. */
function isDocumented({ owner, member }) {
  if (hasComment(member)) return true
  for (const declaration of owner.declarations ?? []) {
    for (const clause of declaration.heritageClauses ?? []) {
      for (const type of clause.types) {
        const base = checker.getTypeAtLocation(type).getProperty(member.name)
        if (base !== undefined && hasComment(base)) return true
      }
    }
  }
  return false
}

/** Names that stand for different things, in one package or in several: `name  places`. */
function ambiguousNames() {
  const meanings = new Map()
  for (const current of packages) {
    for (const [symbol, declaration] of exportedSymbols(current)) {
      meanings.set(symbol.name, (meanings.get(symbol.name) ?? new Map()).set(symbol, place(declaration)))
    }
  }
  return [...meanings].filter(([, of]) => of.size > 1).map(([name, of]) => `${name}  ${[...of.values()].join('  ')}`)
}

/** Kernels of the core without a comment, or without shapes where there are pointers beside their own block: `place  name`. */
function bareKernels() {
  const entries = readdirSync(join(ROOT, 'assembly')).filter((name) => name.endsWith('.ts') && name !== 'abi.ts')
  const bare = []
  const counted = new Set()
  for (const entry of entries) {
    for (const statement of sourceOf(join(ROOT, 'assembly', entry)).statements) {
      if (!ts.isExportDeclaration(statement) || statement.exportClause === undefined) continue // `export *`: an entry of its own
      const file = sourceOf(join(ROOT, 'assembly', `${statement.moduleSpecifier.text}.ts`))
      const exported = new Set(statement.exportClause.elements.map(({ name }) => name.text))
      for (const kernel of file.statements) {
        if (!ts.isFunctionDeclaration(kernel) || !exported.has(kernel.name.text)) continue
        counted.add(kernel.name.text)
        const comment = (kernel.jsDoc ?? []).map((doc) => doc.getText(file)).join()
        const pointers = kernel.parameters.filter(({ type }) => type?.getText(file) === 'usize')
        const needsShape = pointers.length > 1
        if (comment === '' || (needsShape && !/\[[^\]]+\]/.test(comment)))
          bare.push(`${place(kernel, file)}  ${kernel.name.text}`)
      }
    }
  }
  return { kernels: counted.size, bare: [...new Set(bare)] }
}

const sourceOf = (path) => ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)

let missing = 0
let ambiguities = 0
for (const current of packages) {
  if (current.entries.length === 0 || (wanted.length > 0 && !wanted.includes(current.name))) continue
  const symbols = exportedSymbols(current)
  const members = [...symbols.keys()].flatMap((symbol) => [...membersOf(symbol)])
  const bare = [...symbols]
    .filter(([symbol]) => !hasComment(symbol))
    .map(([symbol, at]) => `${place(at)}  ${symbol.name}`)
  const bareMembers = members.filter((member) => !isDocumented(member))
  const nameOf = ({ owner, member, declaration }) => `${place(declaration)}  ${owner.name}.${member.name}`
  const callables = members.filter((member) => member.isCallable)
  const bareCallables = bareMembers.filter((member) => member.isCallable)
  const bareFields = bareMembers.filter((member) => !member.isCallable)
  const counts = [
    `${symbols.size - bare.length} of ${symbols.size} symbols`,
    `${callables.length - bareCallables.length} of ${callables.length} methods`,
    `${members.length - callables.length - bareFields.length} of ${members.length - callables.length} fields`,
  ]
  console.log(`${current.name}: ${counts.join(', ')} documented`)
  for (const line of [...bare, ...bareCallables.map(nameOf), ...(listsFields ? bareFields.map(nameOf) : [])])
    console.log(`  ${line}`)
  missing += bare.length + bareCallables.length
}
if (wanted.length === 0) {
  const { kernels, bare } = bareKernels()
  console.log(`the wasm core: ${kernels - bare.length} of ${kernels} kernels documented, with their shapes`)
  for (const line of bare) console.log(`  ${line}`)
  missing += bare.length
  const ambiguous = ambiguousNames()
  console.log(`${ambiguous.length} exported names mean more than one thing`)
  for (const line of ambiguous) console.log(`  ${line}`)
  ambiguities = ambiguous.length
}
if (missing > 0) console.log(`${missing} without a doc comment: say what it is or does, its shapes, units and errors`)
process.exitCode = missing + ambiguities > 0 ? 1 : 0

// Builds what is stale: the wasm core, then every package's JavaScript, then (with --types) its declarations.
// Usage: node scripts/build.mjs [--quiet] [--types]
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildWasm } from './build-wasm.mjs'
import { manifestOf, publishedFolders } from './packages.mjs'
import { isFresh, ROOT, writeStamp } from './stamp.mjs'

const quiet = process.argv.includes('--quiet')

const packages = publishedFolders()

/** The sources behind `exports` are the entries, and that of the command; nothing is listed twice. */
function entriesOf(folder) {
  const manifest = manifestOf(join(ROOT, folder))
  const sources = Object.values(manifest.exports).flatMap((target) => target['@trimtab/source'] ?? [])
  const bins = Object.values(manifest.bin ?? {}).map((file) => file.replace('./', 'src/').replace(/\.js$/, '.ts'))
  return [...new Set([...sources, ...bins])].map((source) => join(ROOT, folder, source))
}

/** What a package manager puts beside the package: left out of it. */
function installedWith(folder) {
  const { dependencies, peerDependencies } = manifestOf(join(ROOT, folder))
  return Object.keys({ ...dependencies, ...peerDependencies })
}

/** Comments are in src and in the declarations; in what runs they are half the text, which every start would scan. */
async function stripComments(folder) {
  const { transform } = await import('esbuild')
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.js'))) {
    const text = readFileSync(join(folder, file), 'utf8')
    const { code: dense } = await transform(text, { minifyWhitespace: true })
    writeFileSync(join(folder, file), (await transform(dense)).code)
  }
}

await buildWasm({ quiet })
for (const folder of packages) {
  const out = join(ROOT, folder, 'dist')
  const inputs = [`${folder}/src`, `${folder}/package.json`, 'scripts/build.mjs', 'package.json']
  if (isFresh(out, inputs)) continue
  if (!quiet) console.error(`build: ${folder}`)
  rmSync(out, { recursive: true, force: true })
  const { build } = await import('tsup')
  await build({
    entry: entriesOf(folder),
    outDir: out,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    splitting: true,
    removeNodeProtocol: false,
    external: [/^#wasm/, /^@trimtab\//, /^node:/, ...installedWith(folder)],
    silent: true,
    config: false,
    tsconfig: join(ROOT, folder, 'tsconfig.json'),
  })
  await stripComments(out)
  writeStamp(out, inputs)
}
if (process.argv.includes('--types')) {
  execFileSync(
    process.execPath,
    [join(ROOT, 'node_modules/typescript/bin/tsc'), '-b', ...packages.map((folder) => join(ROOT, folder))],
    {
      stdio: 'inherit',
    },
  )
}

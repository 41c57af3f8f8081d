// What a bundle carries that imports one thing, minified and gzipped, all its builds in one file.
// Usage: node test/packaging/bundle-sizes.mjs [checkout …]   (default: this one; a checkout needs its wasm built)
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What a page says, by what it wants. */
export const WANTS = {
  'only `trimtab/trace`': "export * from '@trimtab/trace'",
  'only `criticalPath`': "export { criticalPath } from '@trimtab/trace'",
  'only `trimtab/serve`': "export * from '@trimtab/serve'",
  // Where that starts no core of its own, as before there were three modules, a page needs createCore beside it.
  'only `trimtab/serve` and `createCore`': "export * from '@trimtab/serve'\nexport { createCore } from '@trimtab/core'",
  "one policy's decision": "export { createCore } from '@trimtab/core'\nexport { loadPolicy } from '@trimtab/learn'",
  'the same, of one build':
    "export { createSimdCore } from '@trimtab/core/simd'\nexport { loadPolicy } from '@trimtab/learn'",
}

/** Resolves our packages to the sources of a checkout, wherever its node_modules are. */
const sourcesOf = (root) => ({
  name: 'sources',
  setup({ onResolve }) {
    onResolve({ filter: /^@trimtab\// }, ({ path }) => {
      const [, name, ...rest] = path.split('/')
      const folder = join(root, 'packages', name)
      const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      const target = exports[['.', ...rest].join('/')]['@trimtab/source']
      return { path: join(folder, target), sideEffects: false }
    })
  },
})

/** @returns the bundle's text */
export async function bundleOf(statement, root = ROOT) {
  const { outputFiles } = await build({
    stdin: { contents: statement, resolveDir: root },
    plugins: [sourcesOf(root)],
    ...{ bundle: true, minify: true, write: false, format: 'esm', platform: 'browser', logLevel: 'error' },
  })
  return outputFiles[0].text
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const roots = process.argv.length > 2 ? process.argv.slice(2).map((path) => resolve(path)) : [ROOT]
  for (const [want, statement] of Object.entries(WANTS)) {
    const cells = []
    for (const root of roots) {
      const { byteLength } = gzipSync(await bundleOf(statement, root), { level: 9 })
      cells.push(byteLength.toLocaleString('en'))
    }
    console.log(`| ${[want, ...cells].join(' | ')} |`)
  }
}

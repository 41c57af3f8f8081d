// Runs `main.ts` from the sources of every package, as the tests do.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const program = at('build/main.mjs')
mkdirSync(at('build'), { recursive: true })
await build({
  entryPoints: [at('main.ts')],
  outfile: program,
  ...{ bundle: true, format: 'esm', platform: 'node', target: 'node20', logLevel: 'error' },
  conditions: ['@trimtab/source'],
  external: ['koffi', 'onnxruntime-web', '@trimtab/onnx'],
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
})
process.exitCode =
  spawnSync(process.execPath, ['--enable-source-maps', program, ...process.argv.slice(2)], { stdio: 'inherit' })
    .status ?? 1

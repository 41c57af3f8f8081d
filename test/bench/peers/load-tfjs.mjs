// Bundles tfjs.mjs for Node, which cannot load tfjs-core's gradients as they are published, and starts it.
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))

export async function loadTfjs() {
  await build({
    entry: [path('tfjs.mjs')],
    outDir: path('../build'),
    format: 'cjs',
    platform: 'node',
    noExternal: [/@tensorflow/],
    outExtension: () => ({ js: '.cjs' }),
    silent: true,
    config: false,
  })
  const tfjs = await import('../build/tfjs.cjs')
  await tfjs.startTfjs(path('../../../node_modules/@tensorflow/tfjs-backend-wasm/dist/'))
  return tfjs
}

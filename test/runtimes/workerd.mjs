// A worker as its tools deploy it: bundled with the condition `workerd`, WebAssembly as modules beside it.
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

export const WORKERD = fileURLToPath(new URL('node_modules/workerd/bin/workerd', import.meta.url))

/**
 * Bundles a worker and writes a configuration beside it, for `workerd test`.
 * @param entry  the file whose default export has a `test()`
 * @param out  the folder for both
 * @returns the configuration's path
 */
export async function bundleWorker(entry, out) {
  const { metafile } = await build({
    entryPoints: [entry],
    outdir: out,
    entryNames: 'worker',
    assetNames: '[name]',
    loader: { '.wasm': 'copy' },
    conditions: ['workerd'],
    bundle: true,
    format: 'esm',
    metafile: true,
    logLevel: 'error',
  })
  const modules = Object.keys(metafile.outputs)
    .map((file) => basename(file))
    .sort((a) => (a === 'worker.js' ? -1 : 1)) // the first module is the worker's entry
    .map((file) => `(name = "${file}", ${file.endsWith('.wasm') ? 'wasm' : 'esModule'} = embed "${file}")`)
  const configuration = join(out, 'workerd.capnp')
  await writeFile(
    configuration,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .tested)]);
const tested :Workerd.Worker = (modules = [${modules.join(', ')}], compatibilityDate = "2026-01-01");
`,
  )
  return configuration
}

import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'

/** Makes a program from a fixture and our sources, laid out as the package is; returns its path. */
export async function bundle(name: string, folder: string): Promise<string> {
  await build({
    entry: [fileURLToPath(new URL(`./fixtures/${name}.ts`, import.meta.url))],
    outDir: join(folder, 'dist'),
    format: 'esm',
    target: 'node20',
    noExternal: [/^@trimtab/],
    external: [/^#wasm/],
    silent: true,
    config: false,
    esbuildOptions(options) {
      options.conditions = ['@trimtab/source']
    },
  })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  cpSync(new URL('../worker.js', import.meta.url), join(folder, 'worker.js'))
  return join(folder, 'dist', `${name}.js`)
}

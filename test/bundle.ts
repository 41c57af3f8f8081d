import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'

/**
 * Makes a program for Node from a fixture and our sources, in `folder`; its package.json goes into `root`.
 * @returns its path
 */
export async function bundleProgram(fixture: URL, folder: string, root: string = folder): Promise<string> {
  await build({
    entry: [fileURLToPath(fixture)],
    outDir: folder,
    format: 'esm',
    target: 'node20',
    noExternal: [/^@trimtab/],
    external: [/^@nats-io/],
    silent: true,
    config: false,
    esbuildOptions(options) {
      options.conditions = ['@trimtab/source']
    },
  })
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  return join(folder, basename(fixture.pathname).replace('.ts', '.js'))
}

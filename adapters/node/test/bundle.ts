import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { bundleProgram } from '../../../test/bundle.js'

/** Makes a program from a fixture and our sources, laid out as the package is; returns its path. */
export async function bundle(name: string, folder: string): Promise<string> {
  const program = await bundleProgram(new URL(`./fixtures/${name}.ts`, import.meta.url), join(folder, 'dist'), folder)
  cpSync(new URL('../worker.js', import.meta.url), join(folder, 'worker.js'))
  return program
}

import { readdir, stat } from 'node:fs/promises'
import { basename, extname, join, resolve } from 'node:path'
import { ConfigError } from '@trimtab/core'
import type { LocalFunction } from './local-serving.js'

const EXTENSIONS = ['.js', '.mjs', '.cjs']

/**
 * The functions that files hold, one each, named after its file; of a folder, each JavaScript file that lies in it.
 *
 * @throws {ConfigError} `config_invalid`: not there, no JavaScript, none at all, two of one name
 */
export async function findFunctions(paths: readonly string[]): Promise<LocalFunction[]> {
  const files = (await Promise.all(paths.map(filesOf))).flat()
  if (files.length === 0)
    throw new ConfigError('config_invalid', `no function in ${paths.join(', ')}: no .js, .mjs or .cjs`)
  const byName = new Map<string, string>()
  for (const file of files) {
    const name = basename(file, extname(file))
    const other = byName.get(name)
    if (other !== undefined && other !== file)
      throw new ConfigError('config_invalid', `two functions named ${name}: ${other} and ${file} (rename one)`)
    byName.set(name, file)
  }
  return [...byName].map(([name, file]) => ({ name, file }))
}

async function filesOf(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch((error: Error) => {
    throw new ConfigError('config_invalid', `${path} cannot be read: ${error.message}`)
  })
  const full = resolve(path)
  if (found.isDirectory()) {
    const names = (await readdir(full)).filter((name) => EXTENSIONS.includes(extname(name)))
    return names.sort().map((name) => join(full, name))
  }
  if (EXTENSIONS.includes(extname(full))) return [full]
  throw new ConfigError('config_invalid', `${path} is not JavaScript: a function is a .js, .mjs or .cjs file`)
}

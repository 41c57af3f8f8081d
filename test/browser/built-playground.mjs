// The playground as a static host has it: built by the first that needs it, again only when something that goes into it has changed.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { publishedFolders } from '../../scripts/packages.mjs'
import { isFresh, ROOT, writeStamp } from '../../scripts/stamp.mjs'
import { serve } from './serve.mjs'

/** Where it lies. */
export const BUILT = fileURLToPath(new URL('build/playground', import.meta.url))
/** How Vite builds and serves it. @type {import('vite').InlineConfig} */
export const CONFIG = { configFile: join(ROOT, 'playground/vite.config.ts'), logLevel: 'error' }

const inputs = () => [
  ...readdirSync(join(ROOT, 'playground'))
    .filter((name) => name === 'src' || name.includes('.'))
    .map((name) => `playground/${name}`),
  ...publishedFolders().map((folder) => `${folder}/dist/.stamp`),
  'packages/core/wasm/.stamp',
  'scripts/repository.mjs',
  'package-lock.json',
]

/** Builds it where it is stale. @returns where it lies */
export async function buildPlayground() {
  if (!isFresh(BUILT, inputs())) {
    await build({ ...CONFIG, build: { outDir: BUILT, emptyOutDir: true } })
    writeStamp(BUILT, inputs())
  }
  return BUILT
}

/** Serves it. @param options  those of `serve` */
export const servePlayground = async (options = {}) => serve(await buildPlayground(), options)

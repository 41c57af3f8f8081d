// The ten lines where there is a terminal: each function gives what they print.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import * as esbuild from 'esbuild'
import { bundleWorker, WORKERD } from '../runtimes/workerd.mjs'

const BINARIES = fileURLToPath(new URL('../runtimes/node_modules/.bin', import.meta.url))
const BUN = join(BINARIES, 'bun')
const DENO = join(BINARIES, 'deno')
const TIMEOUT_MS = 600_000 // on a machine that does other things too

/** The last line that a program prints. */
async function lastLineOf(program, args, cwd) {
  const { stdout } = await promisify(execFile)(program, args, { cwd, timeout: TIMEOUT_MS })
  return stdout.trim().split('\n').at(-1)
}

/** @param program  a file */
export const byNode = (site, program = 'print.mjs') => lastLineOf(process.execPath, [program], site)

/** As compilers write CommonJS: the packages by `require`. */
export async function byRequire(site) {
  const [entryPoints, outfile] = [[join(site, 'print.mjs')], join(site, 'print.cjs')]
  await esbuild.build({ entryPoints, outfile, format: 'cjs', platform: 'node', bundle: true, packages: 'external' })
  return byNode(site, outfile)
}

export const byBun = (site) => lastLineOf(BUN, ['run', 'print.mjs'], site)

export const byDeno = (site) => lastLineOf(DENO, ['run', '--no-config', '--node-modules-dir=manual', 'print.mjs'], site)

/** @param out  a folder for the worker */
export async function byWorkerd(site, out) {
  return lastLineOf(WORKERD, ['test', await bundleWorker(join(site, 'worker.mjs'), out)], out)
}

/** A program that Bun compiled, started where nothing but it lies. */
export async function byCompiledBun(site) {
  const elsewhere = await mkdtemp(join(tmpdir(), 'trimtab-compiled-'))
  const program = join(elsewhere, 'ten-lines')
  try {
    await lastLineOf(BUN, ['build', '--compile', '--minify', 'print.mjs', '--outfile', program], site)
    return await lastLineOf(program, [], elsewhere)
  } finally {
    await rm(elsewhere, { recursive: true, force: true })
  }
}

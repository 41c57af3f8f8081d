// Bundlers: each makes the folder `out`, a site of its own, of the folder `site`, or a program.
import { copyFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as esbuild from 'esbuild'
import * as vite from 'vite'

/** Installed beside this file when the test begins, so not to be imported before. */
const require = createRequire(import.meta.url)

/** One file with everything in it. */
export async function byEsbuild(site, out) {
  const options = { bundle: true, minify: true, format: 'esm', platform: 'browser', logLevel: 'error' }
  await esbuild.build({ entryPoints: [join(site, 'page.mjs')], outfile: join(out, 'page.mjs'), ...options })
  await copyFile(join(site, 'index.html'), join(out, 'index.html'))
}

/** Chunks that the page loads as it needs them. */
export async function byVite(site, out) {
  await vite.build({ root: site, configFile: false, logLevel: 'error', build: { outDir: out } })
}

/** Serves modules one by one, those of packages bundled before. @returns the origin to open and `close()` */
export async function serveByVite(site) {
  const server = await vite.createServer({
    root: site,
    configFile: false,
    logLevel: 'error',
    server: { host: '127.0.0.1', port: 0 },
  })
  await server.listen()
  return { origin: `http://127.0.0.1:${server.httpServer.address().port}`, close: () => server.close() }
}

/** @param options  beside those of every build */
async function runWebpack(site, out, entry, { output, ...options }) {
  const quiet = { performance: { hints: false }, infrastructureLogging: { level: 'error' } }
  const base = { mode: 'production', context: site, entry: `./${entry}`, output: { path: out, ...output } }
  const stats = await promisify(require('webpack'))({ ...base, ...quiet, ...options })
  if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString('errors-warnings'))
}

/** The same, by webpack. */
export async function byWebpack(site, out) {
  await runWebpack(site, out, 'page.mjs', { target: 'web', output: { filename: 'page.mjs', publicPath: '/' } })
  await copyFile(join(site, 'index.html'), join(out, 'index.html'))
}

/** A program for Node, not minified. @returns its path */
export async function programByWebpack(site, out) {
  const options = { target: 'node20', output: { filename: 'print.cjs' }, optimization: { minimize: false } }
  await runWebpack(site, out, 'print.mjs', options)
  return join(out, 'print.cjs')
}

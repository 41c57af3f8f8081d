// Programs bundled from our sources, in a blank page of a real browser.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { launchChromium } from './chromium.mjs'
import { serve } from './serve.mjs'

/**
 * Bundles programs, serves each as `/NAME.js` and opens a blank page beside them.
 * @template T
 * @param {readonly URL[]} programs
 * @param {(page: import('playwright-core').Page) => Promise<T>} use  what is done with the page
 * @param {{ flags?: string[], bundle?: import('esbuild').BuildOptions, beside?: Record<string, string> }} options  of the browser, of esbuild
 *   beside the usual, of `serve`
 * @returns {Promise<T>} what `use` returns
 */
export async function inPage(programs, use, { flags = [], bundle = {}, beside = {} } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'trimtab-page-'))
  await build({
    entryPoints: programs.map((program) => fileURLToPath(program)),
    outdir: folder,
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'browser', target: 'es2022' },
    conditions: ['@trimtab/source'],
    ...bundle,
  })
  const site = await serve(folder, { beside: { 'blank.html': '<!doctype html>', ...beside } })
  const browser = await launchChromium(flags)
  try {
    const page = await browser.newPage()
    await page.goto(`${site.origin}/blank.html`)
    return await use(page)
  } finally {
    await browser.close()
    await site.close()
    await rm(folder, { recursive: true })
  }
}

// The ten lines on a page: what it answers in Chromium, and what it weighs.
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { serve } from '../browser/serve.mjs'

const TIMEOUT_MS = 600_000 // on a machine that does other things too

const isCode = (name) => /\.(m?js|wasm)$/.test(name)
const sum = (values) => values.reduce((total, value) => total + value, 0)
const weigh = async (paths) =>
  sum(await Promise.all(paths.map(async (path) => gzipSync(await readFile(path), { level: 9 }).byteLength)))

/** @returns the title that the page gives itself, and the files of its origin that it loaded until then */
export async function openPage(browser, url) {
  const page = await browser.newPage()
  const loaded = new Set()
  page.on('request', (request) => loaded.add(new URL(request.url()).pathname))
  const failure = new Promise((_, reject) => page.on('pageerror', reject))
  try {
    const answered = page
      .goto(url)
      .then(() => page.waitForFunction(() => document.title !== '', undefined, { timeout: TIMEOUT_MS }))
    await Promise.race([failure, answered])
    return { answer: await page.title(), loaded: [...loaded] }
  } finally {
    await page.close()
  }
}

/** What a bundle answers, and its bytes, gzipped: of all its files, and of those that were loaded until it answered. */
export async function onPage(browser, bundle, site, out) {
  await mkdir(out, { recursive: true })
  await bundle(site, out)
  const server = await serve(out)
  try {
    const { answer, loaded } = await openPage(browser, server.origin)
    const files = (await readdir(out, { recursive: true })).filter(isCode)
    return {
      answer,
      all: await weigh(files.map((name) => join(out, name))),
      loaded: await weigh(loaded.filter(isCode).map((path) => join(out, path))),
    }
  } finally {
    await server.close()
  }
}

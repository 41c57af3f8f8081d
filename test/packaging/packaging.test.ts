import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build as bundle } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { build, createServer } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canUseChromium, launchChromium } from '../browser/chromium.mjs'
import { serve } from '../browser/serve.mjs'
import { installPacked } from './install-packed.mjs'

// Outside the repository, so that nothing can be found in the workspace's node_modules by accident.
let folder: string
let tarballs: Record<string, string[]>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trimtab-packaging-'))
  tarballs = await installPacked(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const ours = (): string[] => Object.keys(tarballs).filter((name) => name === 'trimtab' || name.startsWith('@trimtab/'))
const node = (...args: string[]): string =>
  execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
const nodeScript = (text: string): string => node('--input-type=module', '--eval', text)

const DRAW = `const core = await createCore()
const random = new Random(core, 7)
const drawn = [random.uniform(), random.normal(), core.math.tanh(1)].join(' ')`
const drawnByNode = (): string =>
  nodeScript(`import { createCore, Random } from '@trimtab/core'\n${DRAW}\nconsole.log(drawn)`)

/** The shipped modules, in the order of their files; `.size-limit.json` says how large they may be. */
const MODULES = ['learn-relaxed', 'learn-scalar', 'learn-simd', 'serve-scalar', 'serve-simd', 'trace-scalar']

describe('the packed packages', () => {
  it('hold code, sources and the three shipped builds, and nothing of the workshop', () => {
    const files = Object.entries(tarballs).flatMap(([name, paths]) =>
      ours().includes(name) ? paths.map((path) => `${name}/${path}`) : [],
    )
    expect(files.filter((path) => /\.stamp|tsbuildinfo|\.test\.|debug\.wasm|real64/.test(path))).toEqual([])
    expect(files.filter((path) => path.endsWith('.wasm'))).toEqual(
      MODULES.map((name) => `@trimtab/core/wasm/${name}.wasm`),
    )
  })

  it('hold their licence each', () => {
    for (const name of ours()) expect(tarballs[name], name).toContain('LICENSE')
    const texts = ours().map((name) => readFileSync(join(folder, 'node_modules', name, 'LICENSE'), 'utf8'))
    expect(new Set(texts)).toEqual(new Set([readFileSync(new URL('../../LICENSE', import.meta.url), 'utf8')]))
  })

  it('import on Node, by every name that they export', () => {
    const specifiers = ours().flatMap((name) => {
      const manifest = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'))
      const paths = Object.keys(manifest.exports).filter((path) => !/\.(json|wasm)$/.test(path))
      return paths.map((path) => name + path.slice(1))
    })
    const text = `const sizes = {}
      for (const name of ${JSON.stringify(specifiers)}) sizes[name] = Object.keys(await import(name)).length
      console.log(JSON.stringify(sizes))`
    const sizes: Record<string, number> = JSON.parse(nodeScript(text))
    expect(Object.keys(sizes)).toEqual(specifiers)
    expect(Object.entries(sizes).filter(([, size]) => size === 0)).toEqual([])
  })

  it('load by require from CommonJS', async () => {
    await writeFile(
      join(folder, 'consumer.cjs'),
      `const { createCore, Random } = require('@trimtab/core')\n;(async () => {\n${DRAW}\nconsole.log(drawn)\n})()\n`,
    )
    expect(node('consumer.cjs')).toBe(drawnByNode())
  })

  it.each(['esm', 'cjs'] as const)('run from one %s file for Node, with no wasm beside it', async (format) => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'trimtab-one-file-'))
    try {
      const extension = format === 'esm' ? 'mjs' : 'cjs'
      const contents = `import { createCore, Random } from '@trimtab/core'\n;(async () => {\n${DRAW}\nconsole.log(drawn)\n})()\n`
      const outfile = join(elsewhere, `one.${extension}`)
      await bundle({
        stdin: { contents, resolveDir: folder },
        ...{ bundle: true, format, platform: 'node', outfile, logLevel: 'silent' },
      })
      expect(node(outfile)).toBe(drawnByNode())
    } finally {
      await rm(elsewhere, { recursive: true, force: true })
    }
  })

  it('put the command on the path', () => {
    expect(node(join('node_modules', '.bin', 'trimtab'), '--help')).toContain('autoscale')
  })

  it('hold modules without imports', async () => {
    for (const name of MODULES) {
      const bytes = readFileSync(join(folder, `node_modules/@trimtab/core/wasm/${name}.wasm`))
      if (name.endsWith('relaxed')) continue // Node 20 does not compile relaxed SIMD
      expect(WebAssembly.Module.imports(await WebAssembly.compile(bytes)), name).toEqual([])
    }
  })

  it('offer the module by path for hosts with a loader of their own', () => {
    expect(
      nodeScript(`import { readFileSync } from 'node:fs'
        import { fileURLToPath } from 'node:url'
        import { createCore, Random } from '@trimtab/core'
        const bytes = readFileSync(fileURLToPath(import.meta.resolve('@trimtab/core/learn.wasm')))
        ${DRAW.replace('createCore()', 'createCore({ module: bytes })')}
        console.log(drawn)`),
    ).toBe(drawnByNode())
  })
})

describe('a bundle of one function', () => {
  async function bundleOf(statement: string): Promise<string> {
    const { outputFiles } = await bundle({
      stdin: { contents: statement, resolveDir: folder },
      ...{ bundle: true, minify: true, write: false, format: 'esm', platform: 'browser' },
    })
    return outputFiles[0]!.text
  }
  const gzippedSize = (text: string): number => gzipSync(text, { level: 9 }).byteLength

  it('holds the critical path without the readers: 8 kB beside the core, 37 kB with it', async () => {
    const finder = await bundleOf("export { PathFinder } from '@trimtab/trace'")
    const withCore = await bundleOf("export { criticalPath } from '@trimtab/trace'")
    for (const text of [finder, withCore]) expect(text).not.toMatch(/DecompressionStream|speedscope/)
    expect(gzippedSize(finder)).toBeLessThanOrEqual(8_000)
    expect(gzippedSize(withCore)).toBeLessThanOrEqual(37_000)
  })

  it('answers without a promise where it was bundled for browsers', async () => {
    await writeFile(join(folder, 'one-line.mjs'), await bundleOf("export { criticalPath } from '@trimtab/trace'"))
    const script = `import { criticalPath } from './one-line.mjs'
      const call = (id, parentId, startUs, durationUs) => ({ id, parentId, service: id, operation: 'run', startUs, durationUs })
      const path = criticalPath([call('a', null, 0, 9), call('b', 'a', 1, 3), call('c', 'a', 5, 2)])
      console.log(path.map(({ span, startUs, endUs }) => span.id + startUs + endUs).join(' '))`
    await writeFile(join(folder, 'use-one-line.mjs'), script)
    expect(node('use-one-line.mjs')).toBe('a01 b14 a45 c57 a79')
  })
})

const inBrowser = canUseChromium('whether Vite bundles of the packages run in a browser')
describe.skipIf(!inBrowser)(`bundled by Vite${inBrowser ? '' : ' (NOT CHECKED: no Chromium here)'}`, () => {
  let site: string
  let browser: Browser

  beforeAll(async () => {
    site = join(folder, 'site')
    await mkdir(site)
    await writeFile(join(site, 'index.html'), '<!doctype html><script type="module" src="/main.js"></script>')
    await writeFile(
      join(site, 'main.js'),
      `import { createCore, Random } from '@trimtab/core'
import '@trimtab/learn'
import '@trimtab/control'
import '@trimtab/tasks'
import '@trimtab/trace'
import '@trimtab/serve'
import '@trimtab/onnx'
async function main() {
${DRAW}
document.title = drawn
}
main()
`,
    )
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  /** Opens the page and waits for the numbers; an error on the page is the test's error. */
  async function drawnOnPage(origin: string): Promise<{ drawn: string; wasmRequests: string[] }> {
    const page: Page = await browser.newPage()
    const wasmRequests: string[] = []
    const failure = new Promise<never>((_, reject) => page.on('pageerror', reject))
    page.on('request', (request) => {
      if (new URL(request.url()).pathname.endsWith('.wasm')) wasmRequests.push(request.url())
    })
    await Promise.race([failure, page.goto(origin).then(() => page.waitForFunction(() => document.title !== ''))])
    const drawn = await page.title()
    await page.close()
    return { drawn, wasmRequests }
  }

  it('runs from the dev server, which pre-bundles the JavaScript and would lose a wasm file beside it', async () => {
    const server = await createServer({
      root: site,
      configFile: false,
      logLevel: 'error',
      server: { host: '127.0.0.1', port: 0 },
    })
    try {
      await server.listen()
      const { port } = server.httpServer!.address() as AddressInfo
      expect(await drawnOnPage(`http://127.0.0.1:${port}`)).toEqual({ drawn: drawnByNode(), wasmRequests: [] })
      expect(existsSync(join(folder, 'node_modules/.vite/deps/@trimtab_core.js'))).toBe(true)
    } finally {
      await server.close()
    }
  })

  it('runs from a build, with the core in its chunks', async () => {
    await build({ root: site, configFile: false, logLevel: 'error' })
    const server = await serve(join(site, 'dist'))
    try {
      expect(await drawnOnPage(server.origin)).toEqual({ drawn: drawnByNode(), wasmRequests: [] })
      expect(readdirSync(join(site, 'dist/assets')).filter((name) => name.endsWith('.wasm'))).toEqual([])
    } finally {
      await server.close()
    }
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { notChecked } from '../not-checked.js'
import { canUseChromium, launchChromium, SOFTWARE_WEBGPU } from './chromium.mjs'
import { serve } from './serve.mjs'

const WHAT = 'whether WebGPU in Chromium computes what the core does, device loss included'

interface Found {
  readonly adapter: string
  readonly gaps: Readonly<Record<string, number>>
  readonly isLate: boolean
  readonly wrong: readonly string[]
}

/** As text: the page's own imports, which are not vitest's. */
const IN_PAGE = `import('/probe-webgpu.js').then(({ probeWebGpu }) =>
  probeWebGpu(async () => (await navigator.gpu?.requestAdapter())?.requestDevice()),
)`

/** What `probeWebGpu` finds in a page, on SwiftShader. */
async function probeInPage(): Promise<Found | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'trimtab-webgpu-'))
  await build({
    entryPoints: [fileURLToPath(new URL('../runtimes/probe-webgpu.mjs', import.meta.url))],
    outdir: folder,
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'browser', target: 'es2022' },
    conditions: ['@trimtab/source'],
  })
  const site = await serve(folder)
  const browser = await launchChromium(SOFTWARE_WEBGPU)
  try {
    const page = await browser.newPage()
    await page.route('**/blank', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
    await page.goto(`${site.origin}/blank`)
    return (await page.evaluate(IN_PAGE)) as Found | undefined
  } finally {
    await browser.close()
    await site.close()
    await rm(folder, { recursive: true })
  }
}

if (canUseChromium(WHAT)) {
  const found = await probeInPage()
  if (found === undefined) notChecked(WHAT, 'a Chromium with WebGPU')
  else {
    if (found.isLate) notChecked(WHAT, 'a machine less busy: an answer took ten seconds, and the core gave it')
    it('agrees with the core on every shape, and hands over when the device is lost', () => {
      expect(found.wrong).toEqual([])
      expect(Object.keys(found.gaps).length).toBeGreaterThan(0)
    })
  }
} else notChecked(WHAT, 'Chromium')

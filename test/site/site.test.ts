import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { brokenLinks } from '../../site/links.mjs'
import { canUseChromium, launchChromium } from '../browser/chromium.mjs'
import { serve } from '../browser/serve.mjs'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const OUT = at('build/site')
const SUB_PATH = 'deep/er'
const SLOW_MS = 300_000
const PAGES = [
  'index',
  'docs/guides/traces',
  'docs/results/index',
  'api/index',
  'api/modules/trimtab_trace',
  'playground/traces',
]

describe('the site', () => {
  beforeAll(() => {
    execFileSync(process.execPath, [at('../../site/build.mjs'), `${OUT}/${SUB_PATH}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  }, SLOW_MS)

  it('has no broken link, and fetches nothing from elsewhere', () => {
    const { links, broken } = brokenLinks(OUT)
    expect(broken).toEqual([])
    expect(links).toBeGreaterThan(1000)
  })

  it('documents every subpath of trimtab', () => {
    const { exports } = JSON.parse(readFileSync(at('../../packages/cli/package.json'), 'utf8'))
    const index = readFileSync(`${OUT}/${SUB_PATH}/api/index.html`, 'utf8')
    for (const path of Object.keys(exports).filter((one) => one !== './package.json'))
      expect(index).toContain(`trimtab${path.slice(1)}`)
  })

  const inBrowser = canUseChromium('whether the site works from a sub-path, alone')
  describe.skipIf(!inBrowser)(`in a browser${inBrowser ? '' : ' (NOT CHECKED: no Chromium here)'}`, () => {
    let host: Awaited<ReturnType<typeof serve>>
    let browser: Browser
    beforeAll(async () => {
      host = await serve(OUT)
      browser = await launchChromium()
    })
    afterAll(async () => {
      await browser?.close()
      await host?.close()
    })

    it.each(PAGES)(
      '%s opens below another path and asks nobody else',
      async (path) => {
        const page = await browser.newPage()
        const complaints: string[] = []
        page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
        page.on('pageerror', (error) => complaints.push(String(error)))
        page.on('request', (request) => {
          const address = request.url()
          if (!/^(blob|data):/.test(address) && !address.startsWith(host.origin)) complaints.push(address)
        })
        const response = await page.goto(`${host.origin}/${SUB_PATH}/${path}.html`, { waitUntil: 'networkidle' })
        expect(response!.status()).toBe(200)
        expect(await page.title()).toContain('Trimtab')
        await page.screenshot({ path: at(`build/${path.replaceAll('/', '-')}.png`) })
        expect(complaints).toEqual([])
        await page.close()
      },
      SLOW_MS,
    )
  })
})

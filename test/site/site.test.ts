import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
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

  it('leads from every page to all parts, and from the playground to the pages of the files that it names', () => {
    const site = `${OUT}/${SUB_PATH}`
    const pages = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'))
    for (const page of pages) {
      const root = '../'.repeat(page.split('/').length - 1)
      const [navigation] = /<nav class="site-nav".*?<\/nav>/.exec(readFileSync(`${site}/${page}`, 'utf8')) ?? []
      for (const part of ['index', 'docs/guides/index', 'docs/results/index', 'api/index', 'playground/index'])
        expect(navigation, page).toMatch(`href="${root === '' ? './' : root}${part}.html"`)
    }
    const traces = readFileSync(`${site}/playground/traces.html`, 'utf8')
    expect(traces).toContain('<a href="../docs/results/culprits.html">docs/results/culprits.md</a>')
  })

  it('says of every module what it is', () => {
    const index = readFileSync(`${OUT}/${SUB_PATH}/api/index.html`, 'utf8')
    const { description } = JSON.parse(readFileSync(at('../../packages/control/package.json'), 'utf8'))
    expect(index).toContain(description)
    expect(index).not.toMatch(/<dd class="tsd-member-summary"><\/dd>/)
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

    it('copies a block of code by its button, whose command is not cut on a phone', async () => {
      const context = await browser.newContext({
        permissions: ['clipboard-read', 'clipboard-write'],
        viewport: { width: 390, height: 844 },
      })
      const page = await context.newPage()
      await page.goto(`${host.origin}/${SUB_PATH}/docs/guides/traces.html`)
      const block = page.locator('.code').first()
      expect(await block.locator('pre').evaluate((pre) => pre.scrollWidth - pre.clientWidth)).toBe(0)
      await block.getByRole('button', { name: 'Copy' }).click()
      await block.getByRole('button', { name: 'Copied' }).waitFor()
      const copied = await page.evaluate(() => navigator.clipboard.readText())
      expect(copied).toBe((await block.locator('code').textContent())!.trimEnd())
      await context.close()
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

import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { canUseChromium, launchChromium } from './chromium.mjs'
import { serve } from './serve.mjs'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const SITE = at('build/playground')
const EPISODES = 10 // the fewest that the form takes
const CHARTS = ['latency', 'cores', 'replicas', 'reward']

const inBrowser = canUseChromium('whether the playground runs in a browser')
describe.skipIf(!inBrowser)(`the playground${inBrowser ? '' : ' (NOT CHECKED: no Chromium here)'}`, () => {
  let site: Awaited<ReturnType<typeof serve>>
  let browser: Browser
  let page: Page
  let complaints: string[]

  beforeAll(async () => {
    await build({
      configFile: at('../../playground/vite.config.ts'),
      logLevel: 'error',
      build: { outDir: SITE, emptyOutDir: true },
    })
    site = await serve(SITE)
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })
  beforeEach(async () => {
    await page?.close()
    page = await browser.newPage({ viewport: { width: 1280, height: 1000 } })
    page.setDefaultTimeout(50_000)
    complaints = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('requestfailed', (request) => complaints.push(`${request.url()}: ${request.failure()?.errorText}`))
    await page.goto(site.origin)
    await page.getByLabel('Learning episodes').fill(String(EPISODES))
  })

  const status = (): Promise<string | null> => page.getByTestId('status').textContent()
  const start = (): Promise<void> => page.getByTestId('run').click()
  const untilDone = () =>
    page.waitForFunction(() => /done$|failed/.test(document.querySelector('[data-testid=status]')!.textContent))

  /** From now on, notes every picture that a chart shows; `pictures` tells how many different ones there were. */
  const watchCharts = (names: readonly string[]): Promise<void> =>
    page.evaluate((all) => {
      const seen = Object.fromEntries(all.map((name) => [name, new Set<string>()]))
      Object.assign(globalThis, { pictures: seen })
      const look = (): void => {
        for (const name of all) {
          const canvas = document.querySelector<HTMLCanvasElement>(`[data-testid=chart-${name}] canvas`)
          if (canvas) seen[name]!.add(canvas.toDataURL())
        }
        requestAnimationFrame(look)
      }
      look()
    }, names)
  const pictures = (name: string): Promise<number> =>
    page.evaluate(
      (key) => (globalThis as unknown as { pictures: Record<string, Set<string>> }).pictures[key]!.size,
      name,
    )

  it('runs to the end, its charts move, and it shows the result without a complaint', async () => {
    await watchCharts(CHARTS)
    await start()
    await untilDone()
    await page.screenshot({ path: at('build/playground.png'), fullPage: true })
    expect(complaints).toEqual([])
    expect(await status()).toMatch(/done$/)
    for (const name of CHARTS) expect(await pictures(name), name).toBeGreaterThan(2)
    expect(await page.getByTestId('results').locator('tbody tr').count()).toBeGreaterThan(1)
  })

  it('opens the full report of its own run', async () => {
    await start()
    await untilDone()
    const [report] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Open the full report' }).click(),
    ])
    await report.waitForLoadState()
    expect(await report.locator('svg, canvas').count()).toBeGreaterThan(0)
    expect(complaints).toEqual([])
  })

  it('stops when asked to, and runs again', async () => {
    await page.getByLabel('Speed').fill('0')
    await start()
    await page.waitForSelector('[data-testid=chart-latency] canvas')
    await page.getByRole('button', { name: 'Stop' }).click()
    expect(await status()).toBe('stopped')
    await page.getByLabel('Speed').fill('4')
    await start()
    await untilDone()
    expect(await status()).toMatch(/done$/)
    expect(complaints).toEqual([])
  })
})

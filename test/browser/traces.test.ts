import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import { createCore } from '@trimtab/core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { notChecked } from '../not-checked.js'
import { bytesOf, requestTraces, WRITERS } from '../traces/index.mjs'
import { servePlayground } from './built-playground.mjs'
import { canUseChromium, launchChromium } from './chromium.mjs'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const TIMEOUT_MS = 60_000

/** A real file where there is one; else one that is made here, which says less about real ones. */
const REAL = at('../../../shared/data/traces/nezha_ob_jaeger.json.gz')
const isReal = existsSync(REAL)
if (!isReal) notChecked('real traces on the page of traces', '../shared/data; a generated file stands in')

const name = isReal ? 'nezha_ob_jaeger.json.gz' : 'generated.json.gz'

async function traceBytes(): Promise<Buffer> {
  if (isReal) return readFileSync(REAL)
  const core = await createCore()
  return gzipSync(bytesOf(WRITERS.jaeger(requestTraces(core, { traces: 46, seed: 1, slow: undefined }))))
}

const inBrowser = canUseChromium('whether the page of traces runs in a browser')
const title = `the page of traces${inBrowser ? '' : ' (NOT CHECKED: no Chromium here)'}`
describe.skipIf(!inBrowser)(title, () => {
  let site: Awaited<ReturnType<typeof servePlayground>>
  let browser: Browser
  let bytes: Buffer
  let traces: number

  beforeAll(async () => {
    site = await servePlayground()
    browser = await launchChromium()
    bytes = await traceBytes()
    traces = JSON.parse(gunzipSync(bytes).toString()).data.length
  }, TIMEOUT_MS)
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  /** The page, everything that it complains about, and every address that it asks for. */
  async function open(): Promise<{ page: Page; complaints: string[]; addresses: string[] }> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } })
    page.setDefaultTimeout(TIMEOUT_MS / 3)
    const complaints: string[] = []
    const addresses: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('request', (request) => addresses.push(request.url()))
    await page.goto(`${site.origin}/traces.html`)
    return { page, complaints, addresses }
  }

  const status = (page: Page): Promise<string | null> => page.getByTestId('status').textContent()
  const answered = (page: Page) =>
    page.waitForFunction(() => {
      const box = document.querySelector('[data-testid=status]')!
      return / s$/.test(box.textContent) || box.classList.contains('failed')
    })
  const choose = async (page: Page, ...files: { name: string; text: Buffer }[]): Promise<void> => {
    const chosen = files.map(({ name, text }) => ({ name, mimeType: 'application/octet-stream', buffer: text }))
    await page.getByTestId('files').setInputFiles(chosen)
    await answered(page)
  }

  it(
    'opens with a recorded answer, below a heading of its own, and simulates the requests when a what-if needs them',
    async () => {
      const { page, complaints } = await open()
      await page.getByText('recorded run · ').waitFor()
      expect(await page.locator('.suspects h3').first().textContent()).toMatch(/^rate /)
      const about = await page.locator('.about').evaluate((part) => {
        const { backgroundColor, borderTopWidth } = getComputedStyle(part)
        return [backgroundColor, borderTopWidth]
      })
      expect(about).toEqual(['rgba(0, 0, 0, 0)', '0px'])
      const recorded = (await page.getByTestId('gain').textContent())!
      expect(recorded).toMatch(/^A request takes \d+\.\d % less on average/)
      await page.getByTestId('factor').fill('8')
      expect(await page.locator('.parts').getAttribute('aria-busy')).toBe('true')
      expect(await page.locator('.suspects > li').count()).toBeGreaterThan(0) // still
      await page.waitForFunction((old) => {
        const now = document.querySelector('[data-testid=gain]')!.textContent
        return now !== '' && now !== old
      }, recorded)
      await answered(page)
      expect(complaints).toEqual([])
      await page.close()
    },
    TIMEOUT_MS,
  )

  describe('with a file', () => {
    let page: Page
    let complaints: string[]
    let addresses: string[]

    beforeAll(async () => {
      ;({ page, complaints, addresses } = await open())
      addresses.length = 0
      await choose(page, { name, text: bytes })
      await page.screenshot({ path: at('build/traces.png'), fullPage: true })
    }, TIMEOUT_MS)

    it('has read every request of it, without a complaint', async () => {
      expect(await status(page)).toContain(`${traces} requests`)
      expect(complaints).toEqual([])
    })

    it('has sent nothing anywhere: it asked for its own worker and core only', () => {
      expect(addresses.filter((address) => !address.startsWith(`${site.origin}/assets/`))).toEqual([])
    })

    it('draws the critical path through the waterfall: from the start of the request to its end, row by row', async () => {
      const path = await page.locator('.waterfall:not([hidden]) .wf-route path').first().getAttribute('d')
      const numbers = [...path!.matchAll(/H([\d.-]+)/g)].map(([, x]) => Number(x))
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
      expect(numbers.length).toBeGreaterThan(2)
    })

    it('shows another request, and every span of it, when asked to', async () => {
      const rows = () => page.locator('.waterfall:not([hidden]) .wf-row').count()
      const shown = await page.locator('.waterfall:not([hidden])').getAttribute('data-request')
      await page.locator('[data-waterfalls]').selectOption('1')
      expect(await page.locator('.waterfall:not([hidden])').getAttribute('data-request')).not.toBe(shown)
      const few = await rows()
      const every = page.locator('[data-every-span]')
      if ((await every.count()) > 0) await every.check()
      expect(await rows()).toBeGreaterThanOrEqual(few)
    })

    it('zooms into the flame graph by click, comes back by Escape, and walks it with the arrow keys', async () => {
      const boxes = page.locator('.fl:not([hidden])')
      const width = async (i: number) => (await boxes.nth(i).boundingBox())!.width
      const whole = await width(0)
      const before = await width(1)
      await boxes.nth(1).click()
      await page.waitForTimeout(300) // the boxes glide
      expect(await width(1)).toBeCloseTo(whole, -1)
      expect(before).toBeLessThanOrEqual(whole)
      await page.keyboard.press('Escape')
      await page.keyboard.press('ArrowUp')
      const focused = await page.evaluate(() => document.activeElement!.getAttribute('aria-label'))
      expect(await page.locator('[data-flame-words]').textContent()).toBe(focused)
      expect(focused).toContain('100 % of the path')
    })

    it('says what a faster or slower service would do, as the slider moves', async () => {
      const gain = async (step: string): Promise<string> => {
        const before = await page.getByTestId('gain').textContent()
        await page.getByTestId('factor').fill(step)
        await page.waitForFunction((old) => document.querySelector('[data-testid=gain]')!.textContent !== old, before)
        return (await page.getByTestId('gain').textContent())!
      }
      expect(await gain('8')).toMatch(/^A request takes \d+\.\d % less on average/)
      expect(await gain('-4')).toMatch(/^A request takes \d+\.\d % more on average/)
    })

    it('finds boxes of the flame graph by name and says what they hold', async () => {
      const service = await page
        .locator('.fl')
        .first()
        .evaluate((box) => box.firstChild!.textContent!.trim())
      await page.getByLabel('Find').fill(service.toUpperCase())
      expect(await page.locator('.fl.match').count()).toBeGreaterThan(0)
      expect(await page.locator('.found').textContent()).toMatch(/^\d+ found, 100\.0 % of the time$/)
    })

    it('saves what it shows as one file that works alone', async () => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save as one HTML file' }).click(),
      ])
      const alone = await browser.newPage()
      const asked: string[] = []
      alone.on('request', (request) => asked.push(request.url()))
      alone.on('pageerror', (error) => complaints.push(String(error)))
      await download.saveAs(at('build/traces-alone.html'))
      await alone.goto(new URL('build/traces-alone.html', import.meta.url).href)
      await alone.locator('.fl').nth(1).click()
      expect(await alone.locator('[data-flame-reset]').isVisible()).toBe(true)
      expect(asked.filter((address) => !/^(file|data):/.test(address))).toEqual([])
      expect(complaints).toEqual([])
    })

    it('asks again when the form changes, for the requests that reach a service', async () => {
      const option = page.locator('#service option').nth(1)
      const service = (await option.textContent())!
      await page.locator('#service').selectOption(service)
      await answered(page)
      await page.waitForFunction(
        (wanted) => !document.querySelector('[data-testid=status]')!.textContent.startsWith(wanted),
        `${traces} requests`,
      )
      expect(await status(page)).toMatch(/^[\d,]+ requests?, /)
    })
  })

  it(
    'names the service that a sample has broken, with reasons',
    async () => {
      const { page, complaints } = await open()
      await page.getByTestId('sample').selectOption('hotel-cpu')
      await answered(page)
      const first = page.locator('.suspects > li').first()
      expect(await first.locator('h3').textContent()).toMatch(/^rate /)
      expect(await first.locator('ul li').count()).toBeGreaterThan(0)
      expect(complaints).toEqual([])
    },
    TIMEOUT_MS,
  )

  it(
    'takes a file that is dropped anywhere, and says what is wrong with one that holds no traces',
    async () => {
      const { page, complaints } = await open()
      await page.evaluate(() => {
        const files = new DataTransfer()
        files.items.add(new File(['once upon a time'], 'story.json'))
        dispatchEvent(new DragEvent('drop', { dataTransfer: files, cancelable: true }))
      })
      await answered(page)
      expect(await page.getByTestId('status').getAttribute('class')).toContain('failed')
      expect(await status(page)).toContain('story.json')
      await choose(page, { name, text: bytes })
      expect(await status(page)).toContain(`${traces} requests`)
      expect(complaints).toEqual([])
    },
    TIMEOUT_MS,
  )
})

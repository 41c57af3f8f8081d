import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { PAGES } from '../../playground/pages.js'
import { BUILT, servePlayground } from './built-playground.mjs'
import { canUseChromium, launchChromium } from './chromium.mjs'
import { LONGEST_TASK_MS, mainThreadText, readMainThread, traceTasks, watchMainThread } from './main-thread.mjs'
import { OWN_RUNS, runOwn } from './own-runs.mjs'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const SUB_PATH = '/deep/er'
const TIMEOUT_MS = 300_000
const FIRST_PAGE_KB = 150 // gzip, before the wasm
const RUN_TIMEOUT_MS = 600_000 // of computing, on a machine that does other things too
const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]
const NAMES = PAGES.map(({ name }) => name)
const AXE = readFileSync(createRequire(at('../../playground/package.json')).resolve('axe-core/axe.min.js'), 'utf8')

const inBrowser = canUseChromium('whether every page of the playground opens, moves and can be used by everybody')
describe.skipIf(!inBrowser)(`every page${inBrowser ? '' : ' (NOT CHECKED: no Chromium here)'}`, () => {
  let site: Awaited<ReturnType<typeof servePlayground>>
  let browser: Browser

  beforeAll(async () => {
    site = await servePlayground({ path: SUB_PATH })
    browser = await launchChromium()
  }, TIMEOUT_MS)
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  interface Opened {
    readonly page: Page
    readonly complaints: readonly string[]
    /** Addresses outside the site that it asked for, which it does not get. */
    readonly strangers: readonly string[]
  }

  async function open(name: string, options: Parameters<Browser['newPage']>[0] = {}, query = ''): Promise<Opened> {
    const page = await browser.newPage({ bypassCSP: true, ...options }) // or axe-core would be refused, as any script is
    page.setDefaultTimeout(RUN_TIMEOUT_MS)
    const complaints: string[] = []
    const strangers: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.route('**', (route) => {
      const address = route.request().url()
      if (address.startsWith('blob:') || address.startsWith(site.origin)) return route.continue()
      strangers.push(address)
      return route.abort()
    })
    await watchMainThread(page)
    await page.goto(`${site.origin}${SUB_PATH}/${name}.html${query}`)
    return { page, complaints, strangers }
  }

  describe.each(NAMES)('%s', (name) => {
    it.each(SIZES)(
      'opens moving at $width × $height, below another path, alone, and axe-core finds nothing serious',
      async (viewport) => {
        const { page, complaints, strangers } = await open(name, { viewport })
        await page.waitForFunction(hasMoved)
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width)
        await page.screenshot({ path: at(`build/page-${name}-${viewport.width}.png`), fullPage: true })
        expect(await seriousFaults(page)).toEqual([])
        await page.getByRole('button', { name: 'Switch between light and dark' }).click()
        expect(await seriousFaults(page)).toEqual([])
        expect(strangers).toEqual([])
        expect(complaints).toEqual([])
        await page.close()
      },
      TIMEOUT_MS,
    )

    it('says what is seen, what is simulated, what the paper found and what was measured, and where it all is, before any script has run', async () => {
      const { page } = await open(name, { javaScriptEnabled: false })
      const { seen, simulated, found, measured, code, results } = PAGES.find((one) => one.name === name)!
      const about = await page.getByLabel('What this is').textContent()
      for (const text of [seen, simulated, found, measured, code, ...results]) expect(about).toContain(text)
      expect(await page.locator('nav [aria-current=page]').count()).toBe(1)
      await page.close()
    })
  })

  it('loads at most 150 kB first: itself, its styles and all scripts that it starts with', () => {
    const html = readFileSync(`${BUILT}/index.html`, 'utf8')
    const files = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, file]) => file!)
    expect(files.length).toBeGreaterThan(1)
    const bytes = ['index.html', ...files].map((file) => gzipSync(readFileSync(`${BUILT}/${file}`)).length)
    expect(bytes.reduce((sum, one) => sum + one)).toBeLessThan(FIRST_PAGE_KB * 1000)
  })

  it.each([
    ['index', 'days', '2'],
    ['serving', 'count', '123'],
  ])('restores the settings and the seed of %s from its link, which it copies', async (name, field, value) => {
    const { page } = await open(name)
    const settings = page.locator(`[name=${field}]`)
    await settings.fill(value)
    await page.locator('[name=seed]').fill('42')
    await page.getByTestId('share').click()
    await page.waitForFunction(() => location.search.includes('seed=42'))
    const { page: copy } = await open(name, {}, new URL(page.url()).search)
    expect(await copy.locator(`[name=${field}]`).inputValue()).toBe(value)
    expect(await copy.locator('[name=seed]').inputValue()).toBe('42')
    await page.close()
    await copy.close()
  })

  it.each(OWN_RUNS)(
    "comes to the end of the visitor's own run of %s, and is never held up by it",
    async (name) => {
      const { page, complaints } = await open(name, { reducedMotion: 'reduce' }) // at full speed
      await page.waitForFunction(hasOpened)
      await readMainThread(page)
      const longestTask = await traceTasks(browser, page)
      onTestFinished(() => void browser.stopTracing().catch(() => {})) // where it failed before its end: the next one traces too
      await runOwn(page, name)
      const longestTaskMs = await longestTask()
      console.log(
        `${name}: ${mainThreadText(await readMainThread(page))}, ${longestTaskMs.toFixed(0)} ms of it the page's own`,
      )
      expect(await page.locator('#results tbody tr, .suspects > li').count()).toBeGreaterThan(1)
      expect(complaints).toEqual([])
      expect(longestTaskMs).toBeLessThanOrEqual(LONGEST_TASK_MS)
      await page.close()
    },
    RUN_TIMEOUT_MS,
  )

  it('stands still for who wants that, with the end of the recorded run at once', async () => {
    const { page } = await open('index', { reducedMotion: 'reduce' })
    await page.waitForFunction(() => document.querySelector('[data-testid=status]')!.textContent.includes('done: '))
    expect(await page.getByTestId('results').locator('tbody tr').count()).toBeGreaterThan(1)
    await page.close()
  })

  it.each(['index', 'tenants'])(
    'keeps what %s has shown until a run of one’s own has something to show, and says what it computes',
    async (name) => {
      const { page } = await open(name, { reducedMotion: 'reduce' })
      const results = page.getByTestId('results')
      await results.waitFor()
      await page.getByTestId('run').click()
      await page.waitForFunction(() =>
        document.querySelector('[data-testid=status]')!.textContent.startsWith('computing: '),
      )
      expect(await page.locator('.charts').getAttribute('aria-busy')).toBe('true')
      expect(await results.isVisible()).toBe(true)
      expect(await page.locator('.charts canvas').count()).toBeGreaterThan(2)
      await page.locator('.charts[aria-busy=false]').waitFor()
      await page.close()
    },
    RUN_TIMEOUT_MS,
  )

  it('says of a link what it could not restore, and restores the rest', async () => {
    const { page } = await open('index', { reducedMotion: 'reduce' }, '?task=zzz&days=-4&seed=7&colour=red')
    const note = await page.getByTestId('note').textContent()
    for (const text of ['task=zzz', 'days=-4', 'colour=red']) expect(note).toContain(text)
    expect(note).not.toContain('seed')
    expect(await page.locator('[name=seed]').inputValue()).toBe('7')
    expect(await page.locator('[name=days]').inputValue()).toBe('3')
    await page.close()
  })

  it('says on its button that a link is made, also while a run tells how far it is, and that a file stays', async () => {
    const { page } = await open('index')
    await page.waitForFunction(hasMoved)
    await page.getByTestId('share').click()
    expect(await page.getByTestId('share').textContent()).toMatch(/^(Copied|In the address)$/)
    expect(await page.getByTestId('note').textContent()).toContain('these settings and the seed')
    await page.getByTestId('load').selectOption('file')
    await page
      .getByTestId('file')
      .setInputFiles({ name: 'mine.csv', mimeType: 'text/csv', buffer: Buffer.from('index,requests\n0,1\n') })
    await page.getByTestId('share').click()
    await page.getByText('settings only: your file stays here').waitFor()
    await page.getByRole('button', { name: 'Copy link' }).waitFor() // the button is itself again
    await page.close()
  })

  it('restores ticks and what-ifs of traces, and shows the answer before its settings on a phone', async () => {
    const { page } = await open('traces', { viewport: SIZES[1]! }, '?tolerance=1&factor=8&fix=geo')
    await page.waitForFunction(() => document.querySelector('#gain')!.textContent.startsWith('A request takes'))
    expect(await page.locator('#tolerance').isChecked()).toBe(true)
    expect(await page.locator('#fix').inputValue()).toBe('geo')
    expect(await page.locator('details.settings').getAttribute('open')).toBe(null)
    expect((await page.locator('#parts').boundingBox())!.y).toBeLessThan(1.5 * SIZES[1]!.height)
    await page.close()
  })

  it('takes away what is of another task than the chosen one, and names that', async () => {
    const { page } = await open('index', { reducedMotion: 'reduce' })
    await page.getByTestId('results').waitFor()
    await page.getByTestId('task').selectOption('cpu-frequency')
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('cpu-frequency')
    expect(await page.locator('canvas').count()).toBe(0)
    expect(await page.getByTestId('results').isVisible()).toBe(false)
    await page.getByTestId('task').selectOption('autoscaling')
    await page.getByTestId('results').waitFor()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Autoscaling')
    await page.close()
  })

  it.each(NAMES.filter((name) => name !== 'serving'))(
    'shows every column of the results of %s at 1280',
    async (name) => {
      const { page } = await open(name, { viewport: SIZES[0]!, reducedMotion: 'reduce' })
      await page.waitForFunction(hasOpened)
      const hidden = await page
        .locator('.scroll:not(details .scroll)')
        .evaluateAll((boxes) => boxes.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))
      expect(Math.max(...hidden)).toBeLessThanOrEqual(0)
      await page.close()
    },
  )

  it('says beside the button what is wrong with a file, and takes away what it made stale', async () => {
    const { page } = await open('index', { reducedMotion: 'reduce' })
    await page.getByTestId('results').waitFor()
    await page.getByTestId('load').selectOption('file')
    await page
      .getByTestId('file')
      .setInputFiles({ name: 'wrong.csv', mimeType: 'text/csv', buffer: Buffer.from('index,requests\n0,many\n') })
    await page.getByTestId('run').click()
    await page.locator('#status.failed').waitFor()
    expect(await page.getByTestId('status').textContent()).toMatch(/many|number|requests/)
    expect(await page.getByTestId('results').isVisible()).toBe(false)
    await page.close()
  })
})

/** In the page: whether what it opens with has come to its end. */
const hasOpened = (): boolean => document.querySelector('#results tbody tr, .suspects > li') !== null

/** In the page, asked again and again: whether something that shows results has looked in more than one way by now. */
function hasMoved(): boolean {
  const seen = globalThis as { pictures?: Set<string> }
  seen.pictures ??= new Set()
  const canvases = [...document.querySelectorAll('canvas')].map((canvas) => canvas.toDataURL())
  const shown = document.querySelectorAll('.charts *, .parts *')
  const moments = document.getAnimations().flatMap(({ effect, currentTime }) => {
    const { target } = effect as KeyframeEffect
    return [...shown].includes(target!) ? [String(currentTime)] : []
  })
  seen.pictures.add(canvases.join() + moments.join() + (document.querySelector('main svg, #parts')?.innerHTML ?? ''))
  return seen.pictures.size > 1
}

const seriousFaults = async (page: Page): Promise<string[]> => {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Fault[] }> } }
    interface Fault {
      readonly id: string
      readonly impact: string
      readonly nodes: readonly { readonly target: readonly string[] }[]
    }
    const { violations } = await axe.run()
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
  })
}

import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PAGES } from '../../playground/pages.js'
import { servePlayground } from './built-playground.mjs'
import { canUseChromium, launchChromium } from './chromium.mjs'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const EPISODES = 10 // the fewest that the form takes
const CHARTS = ['latency', 'dollars', 'cores', 'rounds']

/** A task from outside as one module without imports: a level that the action moves. */
const OWN_TASK = `
const box = (name) => ({ kind: 'box', names: [name], low: [-1], high: [1] })
const observation = box('level')
const action = box('change')
class Level {
  observation = observation
  action = action
  reset(seed) {
    this.state = [((seed % 7) - 3) / 4, 0]
    return Float32Array.of(this.state[0])
  }
  step([change]) {
    const level = Math.min(1, Math.max(-1, this.state[0] + 0.3 * change))
    this.state = [level, this.state[1] + 1]
    const isOff = Math.abs(level) > 0.5
    return { observation: Float32Array.of(level), reward: -level * level, terminated: false, truncated: this.state[1] >= 20, info: { isOff: isOff ? 1 : 0 } }
  }
  save() { return new Uint8Array(Float64Array.from(this.state).buffer) }
  load(bytes) { this.state = [...new Float64Array(Uint8Array.from(bytes).buffer)] }
  dispose() {}
}
export const task = {
  kind: 'control', name: 'level', observation, action, episodeSteps: 20,
  generate: () => ({}), environment: () => new Level(),
  rules: [{ name: 'hold', create: () => ({ name: 'hold', decide: (_, out) => { out[0] = 0 } }) }],
  baseLearner: { algorithm: 'ddpg', preset: 'default', options: {} },
  safety: { isViolation: ({ isOff }) => isOff === 1 },
}
`

const RUN_TIMEOUT_MS = 150_000

const inBrowser = canUseChromium('whether the playground runs in a browser')
describe.skipIf(!inBrowser)(`the playground${inBrowser ? '' : ' (NOT CHECKED: no Chromium here)'}`, () => {
  let site: Awaited<ReturnType<typeof servePlayground>>
  let browser: Browser

  beforeAll(async () => {
    site = await servePlayground({ beside: { 'mine.js': OWN_TASK } })
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  /**
   * The page with a short run asked for, and everything that it complains about from now on.
   * @param address  of the page on its site
   */
  async function open(address = ''): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } })
    page.setDefaultTimeout(RUN_TIMEOUT_MS)
    const complaints: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('requestfailed', (request) => complaints.push(`${request.url()}: ${request.failure()?.errorText}`))
    await page.goto(`${site.origin}/${address}`)
    if (!address.endsWith('.html')) await keepShort(page)
    return { page, complaints }
  }

  /** Two days of autoscaling, few episodes of another task. */
  async function keepShort(page: Page): Promise<void> {
    const [days, episodes] = [page.getByLabel('Days'), page.getByLabel('Learning episodes')]
    await ((await days.isVisible()) ? days.fill('2') : episodes.fill(String(EPISODES)))
  }

  /** Runs to the end, or to what went wrong. */
  async function run(page: Page): Promise<void> {
    await page.getByTestId('run').click()
    await page.waitForFunction(() => {
      const box = document.querySelector('[data-testid=status]')!
      return box.textContent.startsWith('done: ') || box.classList.contains('failed')
    })
  }

  const status = (page: Page): Promise<string | null> => page.getByTestId('status').textContent()

  describe('after a run', () => {
    let page: Page
    let complaints: string[]

    beforeAll(async () => {
      ;({ page, complaints } = await open())
      await watchCharts(page)
      await run(page)
      await page.screenshot({ path: at('build/playground.png'), fullPage: true })
    }, RUN_TIMEOUT_MS)

    it('has come to the end without a complaint', async () => {
      expect(await status(page)).toMatch(/^done: /)
      expect(complaints).toEqual([])
    })

    it.each(CHARTS)('has moved its chart of %s', async (name) => {
      expect(await picturesOf(page, name)).toBeGreaterThan(2)
    })

    it('shows a row for every controller', async () => {
      expect(await page.getByTestId('results').locator('tbody tr').count()).toBeGreaterThan(1)
    })

    it('opens the full report of that run', async () => {
      const [report] = await Promise.all([
        page.waitForEvent('popup'),
        page.getByRole('button', { name: 'Open the full report' }).click(),
      ])
      await report.waitForLoadState()
      expect(await report.locator('svg, canvas').count()).toBeGreaterThan(0)
      expect(complaints).toEqual([])
    })
  })

  it.each(PAGES.map(({ name }) => `${name}.html`))('lets %s run scripts of its own only', async (name) => {
    const { page } = await open(name)
    const policy = await page.locator('meta[http-equiv=Content-Security-Policy]').getAttribute('content')
    expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/)
    const ran = await page.evaluate(() => {
      const smuggled = document.createElement('script')
      smuggled.textContent = 'window.ran = true'
      document.body.append(smuggled)
      return 'ran' in window
    })
    expect(ran).toBe(false)
    await page.close()
  })

  describe('of any task', () => {
    const controllers = (page: Page) => page.getByTestId('results').locator('tbody th').allTextContents()

    it(
      'compares a registered one’s rules with its learner, and opens the report',
      async () => {
        const { page, complaints } = await open()
        await page.getByTestId('task').selectOption('cpu-frequency')
        await keepShort(page)
        await watchCharts(page)
        await run(page)
        expect(await status(page)).toMatch(/^done: /)
        expect(await page.getByTestId('chart-latency').isVisible()).toBe(false)
        expect(await picturesOf(page, 'rounds')).toBeGreaterThan(1)
        expect(await controllers(page)).toEqual(expect.arrayContaining([expect.stringMatching(/^Trimtab /)]))
        await page.screenshot({ path: at('build/playground-task.png'), fullPage: true })
        const [report] = await Promise.all([
          page.waitForEvent('popup'),
          page.getByRole('button', { name: 'Open the full report' }).click(),
        ])
        await report.waitForLoadState()
        expect(await report.title()).toContain('side by side')
        expect(complaints).toEqual([])
      },
      RUN_TIMEOUT_MS,
    )

    it(
      'takes one’s own, chosen as a file or named in the address',
      async () => {
        const file = { name: 'mine.js', mimeType: 'text/javascript', buffer: Buffer.from(OWN_TASK) }
        const chosen = await open()
        await chosen.page.getByTestId('task').selectOption('file')
        await keepShort(chosen.page)
        await chosen.page.getByTestId('module').setInputFiles(file)
        const named = await open('?task=./mine.js')
        for (const { page, complaints } of [chosen, named]) {
          await run(page)
          expect(await status(page)).toMatch(/^done: /)
          expect(await controllers(page)).toEqual(['hold', 'Trimtab (ddpg beside the rule)', 'ddpg alone'])
          expect(complaints).toEqual([])
        }
      },
      RUN_TIMEOUT_MS,
    )

    it.each([
      ['?task=https://elsewhere.example/mine.js', /^https:\/\/elsewhere\.example\/mine\.js is of another site/],
      ['?task=data:text/javascript,throw', /is of another site/],
      ['?task=./main.txt', /cannot be imported/],
    ])(
      'says why it does not run %s',
      async (query, message) => {
        const { page } = await open(query)
        const asked: string[] = []
        page.on('request', (request) => asked.push(request.url()))
        await run(page)
        expect(await status(page)).toMatch(message)
        expect(asked.filter((address) => !address.startsWith(site.origin))).toEqual([])
      },
      RUN_TIMEOUT_MS,
    )
  })

  it(
    'stops when asked to, and starts again',
    async () => {
      const { page, complaints } = await open()
      for (let run = 0; run < 2; run++) {
        await page.getByTestId('run').click()
        await page.waitForFunction(() =>
          /^(computing|learning)/.test(document.querySelector('[data-testid=status]')!.textContent),
        )
        await page.getByRole('button', { name: 'Stop' }).click()
        expect(await status(page)).toBe('stopped')
      }
      expect(complaints).toEqual([])
    },
    RUN_TIMEOUT_MS,
  )
})

/** From now on, the page notes every picture that its charts show. */
const watchCharts = (page: Page): Promise<void> =>
  page.evaluate((names) => {
    const pictures = Object.fromEntries(names.map((name) => [name, new Set<string>()]))
    Object.assign(globalThis, { pictures })
    const look = (): void => {
      for (const name of names) {
        const canvas = document.querySelector<HTMLCanvasElement>(`[data-testid=chart-${name}] canvas`)
        if (canvas) pictures[name]!.add(canvas.toDataURL())
      }
      setTimeout(look, 100)
    }
    look()
  }, CHARTS)

/** How many different pictures that chart has shown. */
const picturesOf = (page: Page, name: string): Promise<number> =>
  page.evaluate((key) => (globalThis as unknown as { pictures: Record<string, Set<string>> }).pictures[key]!.size, name)

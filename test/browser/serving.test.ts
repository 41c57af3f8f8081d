import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import type { ScheduleReport } from 'trimtab/schedule'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { servePlayground } from './built-playground.mjs'
import { canUseChromium, launchChromium } from './chromium.mjs'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const TIMEOUT_MS = 300_000
const LANES = ['lane-fcfs', 'lane-ssjf', 'lane-oracle']
const [ONE_PER_SECOND, AT_ONCE] = ['0', '4']

const inBrowser = canUseChromium('whether the page of serving runs in a browser')
describe.skipIf(!inBrowser)(`the page of serving${inBrowser ? '' : ' (NOT CHECKED: no Chromium here)'}`, () => {
  let site: Awaited<ReturnType<typeof servePlayground>>
  let browser: Browser

  beforeAll(async () => {
    site = await servePlayground()
    browser = await launchChromium()
  }, TIMEOUT_MS)
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  /** The page, everything that it complains about, and every address that it asks for. */
  async function open(width = 1280): Promise<{ page: Page; complaints: string[]; addresses: string[] }> {
    const page = await browser.newPage({ viewport: { width, height: 1000 } })
    page.setDefaultTimeout(TIMEOUT_MS / 3)
    const complaints: string[] = []
    const addresses: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('request', (request) => addresses.push(request.url()))
    await page.goto(`${site.origin}/serving.html`)
    await page.waitForFunction(() => /simulated/.test(document.querySelector('[data-testid=status]')!.textContent))
    return { page, complaints, addresses }
  }

  const status = (page: Page): Promise<string | null> => page.getByTestId('status').textContent()
  const headline = (page: Page): Promise<string | null> => page.getByTestId('headline').textContent()
  const toTheEnd = async (page: Page): Promise<void> => {
    await page.getByTestId('speed').fill(AT_ONCE)
    await page.waitForFunction(() => document.querySelector('[data-testid=status]')!.textContent.startsWith('done'))
  }
  /** Changes a field and waits for the numbers that follow from it. */
  const set = async (page: Page, field: string, value: string): Promise<void> => {
    const before = await page.getByTestId('results').textContent()
    const control = page.getByTestId(field)
    await (field === 'batching' ? control.selectOption(value) : control.fill(value))
    await control.dispatchEvent('change')
    await page.waitForFunction((old) => document.querySelector('[data-testid=results]')!.textContent !== old, before)
  }
  /** Rows of the table as numbers of seconds. */
  const results = (page: Page): Promise<number[][]> =>
    page
      .getByTestId('results')
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) => [...row.querySelectorAll('td')].map((cell) => Number.parseFloat(cell.textContent))),
      )
  const [MEAN_WAIT, MEAN_COMPLETION, , LONGEST_WAIT] = [0, 1, 2, 3] as const

  it(
    'runs by itself: all queues, clocks and charts move, without a complaint and without asking anything of anyone',
    async () => {
      const { page, complaints, addresses } = await open()
      await page.waitForFunction(() => document.querySelectorAll('canvas').length === 3 + 5)
      await page.waitForFunction(allHaveMoved)
      for (const lane of LANES) {
        expect(await page.getByTestId(lane).textContent()).toMatch(/\d+ wait, \d+ of \d+ done/)
      }
      expect(addresses.filter((address) => !address.startsWith(site.origin))).toEqual([])
      await page.getByTestId('pause').click()
      await page.screenshot({ path: at('build/serving.png'), fullPage: true })
      expect(complaints).toEqual([])
      await page.close()
    },
    TIMEOUT_MS,
  )

  it(
    'shows shortest first ahead of first come, first served, an oracle farther, and says so',
    async () => {
      const { page, complaints } = await open()
      await toTheEnd(page)
      const [fcfs, predicted, known] = await results(page)
      expect(predicted![MEAN_COMPLETION]!).toBeLessThan(0.9 * fcfs![MEAN_COMPLETION]!)
      expect(known![MEAN_COMPLETION]!).toBeLessThan(predicted![MEAN_COMPLETION]!)
      expect(await headline(page)).toMatch(
        /^Shortest first, answers finish \d+ % sooner on average over the whole run, \d+ % sooner .* Simulated\.$/,
      )
      for (const lane of LANES) {
        expect(await page.getByTestId(lane).textContent()).toContain('0 wait, 400 of 400 done')
      }
      expect(complaints).toEqual([])
      await page.close()
    },
    TIMEOUT_MS,
  )

  it(
    'follows its form: ageing shortens the longest wait, all of it is first come, first served; load and batching count',
    async () => {
      const { page, complaints } = await open()
      await page.getByTestId('pause').click()
      const ssjf = async (ageing: string): Promise<number[]> => {
        await set(page, 'ageing', ageing)
        return (await results(page))[1]!
      }
      const [fcfs] = await results(page)
      const [starving, strong, all] = [await ssjf('0'), await ssjf('3'), await ssjf('5')]
      expect(strong[LONGEST_WAIT]!).toBeLessThan(starving[LONGEST_WAIT]!)
      expect(all).toEqual(fcfs)
      for (const batching of ['dynamic', 'continuous']) {
        await set(page, 'batching', batching)
        expect(await page.locator('#lane-ssjf .place').count()).toBe(4)
      }
      const busy = (await results(page))[0]!
      await set(page, 'load', '0.5')
      expect((await results(page))[0]![MEAN_WAIT]!).toBeLessThan(busy[MEAN_WAIT]!)
      expect(complaints).toEqual([])
      await page.close()
    },
    TIMEOUT_MS,
  )

  it(
    'stops and goes on when asked to, and keeps its place when the form changes',
    async () => {
      const { page } = await open()
      await page.getByTestId('speed').fill(ONE_PER_SECOND)
      await page.getByTestId('pause').click()
      const paused = await status(page)
      expect(paused).toMatch(/^paused at/)
      await set(page, 'ageing', '0')
      expect(await status(page)).toBe(paused)
      await page.getByTestId('pause').click()
      await page.waitForFunction((old) => document.querySelector('[data-testid=status]')!.textContent !== old, paused)
      await page.close()
    },
    TIMEOUT_MS,
  )

  describe('with a log of the visitor’s own', () => {
    const SAMPLE = at('../../packages/cli/samples/requests.jsonl.gz')
    const log = (name: string, ...lines: string[]) => ({
      ...{ name, mimeType: 'application/octet-stream' },
      buffer: Buffer.from(lines.join('\n')),
    })
    const answered = (page: Page) => page.locator('#status.failed, #headline small').first().waitFor()

    it(
      'serves it as the command does, by the same reader, and sends nothing anywhere',
      async () => {
        const { page, complaints, addresses } = await open()
        addresses.length = 0
        await page.getByTestId('log').setInputFiles(SAMPLE)
        await answered(page)
        expect(await headline(page)).toMatch(
          /requests\.jsonl\.gz: 400 of 2,000 requests, when they came, rescaled to the load; .* \d+ % in the right order$/,
        )
        const [fcfsBefore, predicted] = await results(page)
        expect(predicted![MEAN_COMPLETION]!).toBeLessThan(fcfsBefore![MEAN_COMPLETION]!)
        const learning = command(SAMPLE, 'ssjf', '--online').meanJctSeconds.mean
        expect(Math.abs(predicted![MEAN_COMPLETION]! - learning)).toBeLessThanOrEqual(0.5)
        await page.getByTestId('learns').uncheck()
        await page.waitForFunction(() => !document.querySelector('#headline small')!.textContent.includes('learn'))
        const shipped = command(SAMPLE, 'ssjf').meanJctSeconds.mean
        expect(Math.abs((await results(page))[1]![MEAN_COMPLETION]! - shipped)).toBeLessThanOrEqual(0.5)
        expect(learning).toBeLessThan(shipped)
        await set(page, 'ageing', '0') // as the command's oracle has it
        const [fcfs, , known] = await results(page)
        for (const [row, policy] of [
          [fcfs!, 'fcfs'],
          [known!, 'oracle'],
        ] as const) {
          const { meanJctSeconds, maxWaitSeconds } = command(SAMPLE, policy)
          expect(Math.abs(row[MEAN_COMPLETION]! - meanJctSeconds.mean)).toBeLessThanOrEqual(0.5) // whole seconds are shown
          expect(Math.abs(row[LONGEST_WAIT]! - maxWaitSeconds.mean)).toBeLessThanOrEqual(0.5)
        }
        expect(addresses.filter((address) => !address.startsWith(site.origin))).toEqual([])
        expect(complaints).toEqual([])
        await page.screenshot({ path: at('build/serving-log.png'), fullPage: true })
        await page.close()
      },
      TIMEOUT_MS,
    )

    it.each([
      [
        'a line that is not JSON',
        log('broken.jsonl', '{"prompt":"a","output_tokens":3}', '{"prompt":'),
        'line 2 is not JSON',
      ],
      ['no lengths', log('other.csv', 'name,value', 'a,3'), 'neither JSON lines nor a CSV'],
      [
        'no prompts',
        log('azure.csv', 'arrival_ms,generated_tokens', '0,3', '9,4'),
        'trimtab schedule --requests azure.csv',
      ],
    ])(
      'says where the eye is that there is %s, takes away what it made stale, and goes back',
      async (_, file, words) => {
        const { page, complaints } = await open()
        await page.getByTestId('log').setInputFiles(file)
        await page.locator('#status.failed').waitFor()
        expect(await status(page)).toContain(file.name)
        expect(await status(page)).toContain(words)
        expect(await page.getByTestId('results').isVisible()).toBe(false)
        expect(await page.getByTestId('lane-fcfs').textContent()).toBe('')
        await page.getByTestId('made-up').click()
        await page.getByTestId('results').waitFor()
        expect(await headline(page)).toMatch(/Simulated\.$/)
        expect(complaints).toEqual([])
        await page.close()
      },
      TIMEOUT_MS,
    )
  })

  it(
    'fits a phone: settings are folded away, and nothing is wider than the screen',
    async () => {
      const { page, complaints } = await open(390)
      expect(await page.getByTestId('batching').isVisible()).toBe(false)
      await page.getByText('Settings', { exact: true }).click()
      await page.getByTestId('batching').selectOption('continuous')
      await toTheEnd(page)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
      await page.screenshot({ path: at('build/serving-phone.png'), fullPage: true })
      expect(complaints).toEqual([])
      await page.close()
    },
    TIMEOUT_MS,
  )
})

/** What the command says of a policy with the settings that the page opens with. */
function command(file: string, policy: string, ...more: string[]) {
  const settings = [
    '--count',
    '400',
    '--seed',
    '1',
    '--seeds',
    '1',
    '--rho',
    '0.9',
    '--policy',
    policy,
    '--json',
    ...more,
  ]
  const bin = at('../../packages/cli/bin.js')
  const report = execFileSync(process.execPath, [bin, 'schedule', '--requests', file, ...settings], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return (JSON.parse(report) as ScheduleReport).results.find((one) => one.policy === policy)!
}

/** In the page, asked again and again: whether every canvas has shown more than one picture by now. */
function allHaveMoved(): boolean {
  const seen = globalThis as { pictures?: Set<string>[] }
  const canvases = [...document.querySelectorAll('canvas')]
  seen.pictures ??= canvases.map(() => new Set())
  for (const [i, canvas] of canvases.entries()) seen.pictures[i]!.add(canvas.toDataURL())
  return seen.pictures.every(({ size }) => size > 1)
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createTraceCoreSync, PathFinder, traceFromSpans } from '@trimtab/trace'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderAdaptationReport } from '../../packages/cli/src/adaptation/report.js'
import { renderReport } from '../../packages/cli/src/report/index.js'
import { TraceAnalysis } from '../../packages/cli/src/trace/analysis.js'
import { renderTraceReport } from '../../packages/cli/src/trace/report/index.js'
import { createSampleReport } from '../../packages/cli/test/sample-report.js'
import { shopRequests } from '../../packages/cli/test/sample-traces.js'
import { canUseChromium, launchChromium } from './chromium.mjs'

function traceReport(): string {
  const finder = new PathFinder(createTraceCoreSync())
  const analysis = new TraceAnalysis(5)
  for (const spans of shopRequests(20)) analysis.add(finder.find(traceFromSpans(spans)))
  finder.dispose()
  return renderTraceReport(analysis.report('profile', ['shop.json'], { mode: 'blocking', overlapTolerance: 0 }))
}

const inBrowser = canUseChromium('whether reports run in a browser under their own policy')
describe.skipIf(!inBrowser)(`a report${inBrowser ? '' : ' (NOT CHECKED: no Chromium here)'}`, () => {
  let browser: Browser
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trimtab-reports-'))
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function open(html: string): Promise<{ page: Page; complaints: string[] }> {
    const file = join(folder, 'report.html')
    writeFileSync(file, html)
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(pathToFileURL(file).href)
    return { page, complaints }
  }

  it.each([
    ['of controllers', () => renderReport(createSampleReport())],
    ['of traces', traceReport],
  ])('%s comes to life under its own policy', async (_, render) => {
    const { page, complaints } = await open(render())
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme)
    const before = await theme()
    await page.locator('#theme').click()
    expect(await theme()).not.toBe(before)
    expect(await page.evaluate(() => getComputedStyle(document.querySelector('main')!).maxWidth)).not.toBe('none')
    expect(complaints).toEqual([])
    await page.close()
  })

  it('without a script is styled and complains of nothing', async () => {
    const { page, complaints } = await open(renderAdaptationReport('adaptation', [['task', 'x']], []))
    expect(await page.locator('h1').textContent()).toBe('adaptation')
    expect(complaints).toEqual([])
    await page.close()
  })

  it('runs nothing else, wherever it came from', async () => {
    const smuggled =
      '<script>window.ran=1</script><img src=x onerror="window.ran=2"><style>h1{color:rgb(1,2,3)}</style>'
    const { page, complaints } = await open(traceReport().replace('<main>', `<main>${smuggled}`))
    await page.waitForTimeout(200)
    expect(await page.evaluate(() => (window as unknown as { ran?: number }).ran)).toBeUndefined()
    expect(await page.evaluate(() => getComputedStyle(document.querySelector('h1')!).color)).not.toBe('rgb(1, 2, 3)')
    expect(complaints.join()).toMatch(/Content Security Policy/)
    await page.close()
  })
})

// Makes docs/autoscale.png, the picture in the README, from the report of a real run.
// Usage: npm start && node docs/picture.mjs [trimtab-report.html]
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { launchChromium } from '../test/browser/chromium.mjs'

const report = resolve(process.argv[2] ?? 'trimtab-report.html')
const target = fileURLToPath(new URL('autoscale.png', import.meta.url))

/** The answer on one screen: the figures, two charts of one application, and of the table what a first look needs. */
const ONE_SCREEN = `
  main { max-width: 1120px; padding-bottom: 20px; display: flex; flex-direction: column }
  .summary-section { order: 1 }
  section:not(.tiles, .summary-section, #timelines), #theme, .lead, details, .toolbar, .app h3, footer { display: none }
  table.summary :is(th, td):is(:nth-child(5), :nth-child(6), :nth-child(8), :nth-child(9)) { display: none }
  .app .explained { display: none }
  .app .chart:not([data-field=p99OverSlo], [data-field=dollarsPerHour]) { display: none }
`

const browser = await launchChromium()
try {
  const page = await browser.newPage({ viewport: { width: 1120, height: 900 }, deviceScaleFactor: 2, bypassCSP: true })
  await page.goto(pathToFileURL(report).href)
  await page.evaluate(() => document.querySelector('table.summary').closest('section').classList.add('summary-section'))
  await page.addStyleTag({ content: ONE_SCREEN })
  // the application that Trimtab gains most on shows best what it does differently
  await page.evaluate(() => {
    const { results, settings } = JSON.parse(document.getElementById('trimtab-report').textContent)
    const costs = settings.apps.map(
      (app) => results.find((one) => one.app === app && one.controller === 'trimtab').relativeCost,
    )
    const chooser = document.getElementById('app')
    chooser.value = String(costs.indexOf(Math.min(...costs)))
    chooser.dispatchEvent(new Event('change'))
  })
  await page.screenshot({ path: target, fullPage: true })
  console.log(target)
} finally {
  await browser.close()
}

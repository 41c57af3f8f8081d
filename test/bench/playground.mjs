// Every page of the playground in Chromium: how soon it can be used, and how its main thread fares while the visitor's own run goes.
import { servePlayground } from '../browser/built-playground.mjs'
import { launchChromium } from '../browser/chromium.mjs'
import { LONGEST_TASK_MS, mainThreadText, readMainThread, watchMainThread } from '../browser/main-thread.mjs'
import { OWN_RUNS, runOwn } from '../browser/own-runs.mjs'
import { median } from './harness.mjs'

export const name = 'playground'

const OPENINGS = 5
const TIMEOUT_MS = 600_000 // of computing, on a machine that does other things too

/** The page in a browser that has never been there. */
async function open(browser, address) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  page.setDefaultTimeout(TIMEOUT_MS)
  await watchMainThread(page)
  await page.goto(address)
  await page.waitForFunction(() => globalThis.mainThread.usableMs !== undefined)
  return page
}

export async function run({ log }) {
  const site = await servePlayground()
  const browser = await launchChromium()
  const rows = []
  try {
    for (const one of OWN_RUNS) {
      const address = `${site.origin}/${one}.html`
      const openings = []
      for (let i = 0; i < OPENINGS; i++) {
        const page = await open(browser, address)
        openings.push((await readMainThread(page)).usableMs)
        await page.close()
      }
      const page = await open(browser, address)
      await readMainThread(page)
      await runOwn(page, one)
      const seen = await readMainThread(page)
      await page.close()
      log(`${one}: ${mainThreadText(seen)}`)
      rows.push(
        { name: `${one}: says what it does`, ours: median(openings), target: { ours: 1000 }, unit: 'ms' },
        {
          name: `${one}: longest task of a run`,
          ours: seen.longestTaskMs,
          target: { ours: LONGEST_TASK_MS },
          unit: 'ms',
        },
        { name: `${one}: pictures while it goes`, ours: seen.framesPerSecond, unit: '/ s' },
      )
    }
  } finally {
    await browser.close()
    await site.close()
  }
  return rows
}

import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { createServer } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PAGES } from '../../playground/pages.js'
import { CONFIG, servePlayground } from './built-playground.mjs'
import { canUseChromium, launchChromium } from './chromium.mjs'

const TIMEOUT_MS = 180_000 // each page, waited for until it asks for nothing more

const inBrowser = canUseChromium('whether the playground runs under its own policy')
describe.skipIf(!inBrowser)(`the playground's policy${inBrowser ? '' : ' (NOT CHECKED: no Chromium here)'}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  /** Opens every page, lets a smuggled script try, and asks what the pages complained of before it did. */
  async function visit(origin: string): Promise<void> {
    for (const name of PAGES.map(({ name }) => `${name}.html`)) {
      const page = await browser.newPage()
      const complaints: string[] = []
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(String(error)))
      await page.goto(`${origin}/${name}`, { waitUntil: 'networkidle' })
      expect(complaints, name).toEqual([])
      await page.evaluate(() => {
        const script = document.createElement('script')
        script.textContent = 'window.ran = true'
        document.body.append(script)
      })
      expect(await page.evaluate(() => 'ran' in window), name).toBe(false)
      expect(complaints.join(), name).toMatch(/Content Security Policy/)
      await page.close()
    }
  }

  it(
    'lets a build run and nothing else',
    async () => {
      const site = await servePlayground()
      try {
        await visit(site.origin)
      } finally {
        await site.close()
      }
    },
    TIMEOUT_MS,
  )

  it(
    'lets the dev server run and nothing else',
    async () => {
      const server = await createServer({ ...CONFIG, server: { host: '127.0.0.1', port: 0 } })
      try {
        await server.listen()
        await visit(`http://127.0.0.1:${(server.httpServer!.address() as AddressInfo).port}`)
      } finally {
        await server.close()
      }
    },
    TIMEOUT_MS,
  )
})

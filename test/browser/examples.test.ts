import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { createServer, type ViteDevServer } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canUseChromium, launchChromium } from './chromium.mjs'

const FOLDER = fileURLToPath(new URL('../../examples/browser/', import.meta.url))
const TIMEOUT_MS = 120_000

const inBrowser = canUseChromium('whether the example for browsers runs in one')
describe.skipIf(!inBrowser)(`examples/browser${inBrowser ? '' : ' (NOT CHECKED: no Chromium here)'}`, () => {
  let server: ViteDevServer
  let browser: Browser

  beforeAll(async () => {
    server = await createServer({
      root: FOLDER,
      configFile: false,
      logLevel: 'error',
      cacheDir: fileURLToPath(new URL('build/vite', import.meta.url)),
      server: { host: '127.0.0.1', port: 0 },
    })
    await server.listen()
    browser = await launchChromium()
  }, TIMEOUT_MS)
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  it(
    'expects a longer answer of an essay than of yes or no while the prompt is typed, served by vite as it stands',
    async () => {
      const page = await browser.newPage()
      page.setDefaultTimeout(TIMEOUT_MS / 2)
      const complaints: string[] = []
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(String(error)))
      await page.goto(server.resolvedUrls!.local[0]!)
      await page.waitForFunction(() => Number(document.querySelector('output')!.value) > 0)
      const tokensOf = async (prompt: string): Promise<number> => {
        await page.locator('#prompt').fill(prompt)
        return Number(await page.locator('#tokens').textContent())
      }
      const short = await tokensOf('Is bread older than beer? Answer yes or no.')
      expect(await tokensOf('Write a long essay on the history of sailing, with sources.')).toBeGreaterThan(short)
      expect(complaints).toEqual([])
    },
    TIMEOUT_MS,
  )
})

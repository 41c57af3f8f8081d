// Makes docs/traces.png: the playground's page of traces with a sample, as anybody sees it.
// Usage: node scripts/build.mjs && node docs/traces.mjs
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { launchChromium } from '../test/browser/chromium.mjs'
import { serve } from '../test/browser/serve.mjs'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const target = at('traces.png')

const folder = await mkdtemp(join(tmpdir(), 'trimtab-playground-'))
await build({
  configFile: at('../playground/vite.config.ts'),
  logLevel: 'error',
  build: { outDir: folder, emptyOutDir: true },
})
const site = await serve(folder)
const browser = await launchChromium()
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1180 }, deviceScaleFactor: 2 })
  await page.goto(`${site.origin}/traces.html`)
  await page.getByTestId('sample').selectOption('hotel-cpu')
  await page.waitForFunction(() => / s$/.test(document.querySelector('[data-testid=status]').textContent))
  await page.screenshot({ path: target })
  console.log(target)
} finally {
  await browser.close()
  await site.close()
  await rm(folder, { recursive: true })
}

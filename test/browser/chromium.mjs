// A real Chromium for tests: Debian's, found by path, driven by playwright-core. Nothing is downloaded.
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const CANDIDATES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

export const HOW_TO_GET_CHROMIUM =
  'no Chromium here: apt-get install -y --no-install-recommends chromium (or set CHROMIUM_PATH to one)'

/** @throws {Error} when there is no Chromium: a check that cannot run has not passed */
export async function launchChromium() {
  const executablePath = CANDIDATES.find((path) => path && existsSync(path))
  if (executablePath === undefined) throw new Error(HOW_TO_GET_CHROMIUM)
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox', // root, as in containers, is refused otherwise
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

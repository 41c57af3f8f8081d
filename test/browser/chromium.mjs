// A real Chromium for tests: Debian's, found by path, driven by playwright-core. Nothing is downloaded.
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const EXECUTABLE = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path && existsSync(path))

const HOW_TO_GET_ONE =
  'no Chromium here: apt-get install -y --no-install-recommends chromium (or set CHROMIUM_PATH to one)'

/**
 * Whether browser tests can run. Where they cannot it says so loudly; in CI (`CI` is set) they run anyway, and fail.
 * @param what  what stays unchecked otherwise
 */
export function canUseChromium(what) {
  if (EXECUTABLE !== undefined || process.env.CI) return true
  console.warn(`\nNOT CHECKED: ${what}; ${HOW_TO_GET_ONE}\n`)
  return false
}

/** Lets a page use WebGPU where the machine has no GPU: on SwiftShader, in software. */
export const SOFTWARE_WEBGPU = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader']

/**
 * @param flags  beside those that every test needs
 * @throws {Error} when there is no Chromium: a check that cannot run has not passed
 */
export async function launchChromium(flags = []) {
  if (EXECUTABLE === undefined) throw new Error(HOW_TO_GET_ONE)
  return chromium.launch({
    executablePath: EXECUTABLE,
    args: [
      '--no-sandbox', // root, as in containers, is refused otherwise
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...flags,
    ],
  })
}

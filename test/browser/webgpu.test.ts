import { expect, it } from 'vitest'
import { notChecked } from '../not-checked.js'
import { canUseChromium, SOFTWARE_WEBGPU } from './chromium.mjs'
import { inPage } from './in-page.mjs'

const WHAT = 'whether WebGPU in Chromium computes what the core does, device loss included'

interface Found {
  readonly adapter: string
  readonly gaps: Readonly<Record<string, number>>
  readonly isLate: boolean
  readonly wrong: readonly string[]
}

const PROBE = new URL('../runtimes/probe-webgpu.mjs', import.meta.url)
/** As text: the page's own imports, which are not vitest's. */
const IN_PAGE = `import('/probe-webgpu.js').then(({ probeWebGpu }) =>
  probeWebGpu(async () => (await navigator.gpu?.requestAdapter())?.requestDevice()),
)`

if (canUseChromium(WHAT)) {
  const found = await inPage([PROBE], (page) => page.evaluate(IN_PAGE) as Promise<Found | undefined>, {
    flags: SOFTWARE_WEBGPU,
  })
  if (found === undefined) notChecked(WHAT, 'a Chromium with WebGPU')
  else {
    if (found.isLate) notChecked(WHAT, 'a machine less busy: an answer took ten seconds, and the core gave it')
    it('agrees with the core on every shape, and hands over when the device is lost', () => {
      expect(found.wrong).toEqual([])
      expect(Object.keys(found.gaps).length).toBeGreaterThan(0)
    })
  }
} else notChecked(WHAT, 'Chromium')

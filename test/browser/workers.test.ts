import { createCore } from '@trimtab/core'
import { expect, it } from 'vitest'
import { embed } from '../runtimes/embed.mjs'
import { canUseChromium } from './chromium.mjs'
import { inPage } from './in-page.mjs'

const WHAT = 'whether Web Workers embed what one thread does'
/** Of the case in which a worker never serves. */
const TIMEOUT_MS = 120_000

interface Case {
  readonly bits: readonly string[]
  readonly workers: number
  readonly unused: string | undefined
  readonly warnings: readonly string[]
}
type Found = { readonly isIsolated: boolean; readonly alone: string } & Readonly<
  Record<'working' | 'disposed' | 'disposedLater' | 'missing' | 'throwing' | 'silent', Case>
>

const PROGRAMS = ['probe-workers.mjs', 'encoder-worker.mjs'].map((name) => new URL(name, import.meta.url))
const BESIDE = { 'throwing.js': 'throw new Error("no such thing")', 'silent.js': '// does not serve' }
const REASONS = [
  ['disposed', /disposed of/],
  ['disposedLater', /disposed of/],
  ['missing', /script could not be loaded/],
  ['throwing', /no such thing/],
  ['silent', /did not serve within 10 s: does its script call serveEncoder\(\)\?/],
] as const

it.skipIf(!canUseChromium(WHAT))(
  'two Web Workers of a page that is not isolated give the bits of Node, and those of none where they do not work',
  async () => {
    const found = await inPage(
      PROGRAMS,
      (page) =>
        page.evaluate(`import('/probe-workers.js').then(({ probeWorkers }) => probeWorkers())`) as Promise<Found>,
      { beside: BESIDE },
    )
    const bits = await embed(await createCore())
    expect(found.alone).toBe(bits)
    expect(found.isIsolated).toBe(false)
    expect(found.working).toEqual({ bits: [bits, bits], workers: 2, unused: undefined, warnings: [] })
    for (const [name, reason] of REASONS) {
      expect(found[name].bits, name).toEqual([bits, bits])
      expect(found[name].unused, name).toMatch(reason)
      expect(found[name].warnings, name).toEqual([expect.stringMatching(reason)])
    }
  },
  TIMEOUT_MS,
)

import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bundleOf, WANTS } from './bundle-sizes.mjs'

/** How a bundle carries a module. */
const textOf = (module: string): string =>
  readFileSync(new URL(`../../packages/core/wasm/${module}.wasm`, import.meta.url)).toString('base64')

const LEARN = ['learn-simd', 'learn-scalar', 'learn-relaxed']
const SERVE = ['serve-simd', 'serve-scalar']
const TRACE = ['trace-scalar']

describe('a bundle', () => {
  it.each([
    ['only `trimtab/trace`', TRACE],
    ['only `criticalPath`', TRACE],
    ['only `trimtab/serve`', SERVE],
    ["one policy's decision", LEARN],
    ['the same, of one build', ['learn-simd']],
  ] as const)('that imports %s carries the modules of that alone', async (want, modules) => {
    const text = await bundleOf(WANTS[want])
    const carried = [...LEARN, ...SERVE, ...TRACE].filter((module) => text.includes(textOf(module)))
    expect(carried).toEqual(modules)
  })

  it('that reads traces has none of the wrappers of what learns', async () => {
    expect(await bundleOf(WANTS['only `trimtab/trace`'])).not.toMatch(/ddpg_|mlp_forward|queue_push/)
  })

  it.each([
    ['only `trimtab/trace`', 'only `trimtab/trace`'],
    ['only `criticalPath` of it', 'only `criticalPath`'],
    ['only `trimtab/serve`, with the core that it needs', 'only `trimtab/serve`'],
    ["one policy's decision: `loadPolicy`, `createCore`", "one policy's decision"],
  ] as const)('weighs what the README of the core says, to 3 %%: %s', async (row, want) => {
    const readme = readFileSync(new URL('../../packages/core/README.md', import.meta.url), 'utf8')
    const cells = readme.split('\n').find((line) => line.startsWith(`| ${row} |`))
    const said = Number(cells?.split('|').at(-2)?.replaceAll(',', ''))
    const { byteLength } = gzipSync(await bundleOf(WANTS[want]), { level: 9 })
    expect(Math.abs(byteLength / said - 1), `${said} said, ${byteLength} now`).toBeLessThan(0.03)
  })
})

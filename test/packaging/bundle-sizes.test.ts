import { readFileSync } from 'node:fs'
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
})

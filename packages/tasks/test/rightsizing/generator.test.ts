import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { SEGMENTS } from '../../src/autoscaling/index.js'
import { run } from '../../src/rightsizing/generator.js'
import { generateServerless } from '../../src/rightsizing/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})
const segment = (name: string) => SEGMENTS.find((one) => one.name === name)!

describe('functions on something like AWS Lambda', () => {
  it('are measured at the six sizes, with seven counters, in groups of the same segments', () => {
    const table = generateServerless(core)
    expect(table.configurations.map(({ settings }) => settings[0])).toEqual([
      '128',
      '256',
      '512',
      '1024',
      '2048',
      '3008',
    ])
    expect(table.workloads).toHaveLength(1000)
    expect(table.counters).toHaveLength(7)
    const groups = new Set(table.workloads.map(({ group }) => group)).size
    expect(groups).toBeGreaterThan(590) // the probe's roll had 639
    expect(groups).toBeLessThan(700)
    for (const { seconds } of table.workloads) expect(seconds.every((one) => one > 0)).toBe(true)
  })

  it('are the same for the same seed, and others for another one', () => {
    const [a, b, c] = [1, 1, 2].map((seed) => generateServerless(core, { functions: 5, seed }))
    expect(a).toEqual(b)
    expect(a!.workloads[0]!.seconds).not.toEqual(c!.workloads[0]!.seconds)
  })

  it('get half the CPU time from twice the memory, up to one vCPU', () => {
    const [half, whole, more] = [884.5, 1769, 3008].map((mb) => run(core, [segment('float-operations')], mb).durationMs)
    expect(whole).toBeCloseTo(400, 9) // its work
    expect(half).toBeCloseTo(800, 9)
    expect(more).toBeCloseTo(400, 9) // it cannot use a second one
  })

  it('use a second vCPU as far as they are parallel', () => {
    const work = segment('matrix-multiplication').workMs
    expect(run(core, [segment('matrix-multiplication')], 1769 * 1.6).durationMs).toBeCloseTo(work / 1.6, 9)
    expect(run(core, [segment('matrix-multiplication')], 1769 * 3).durationMs).toBeCloseTo(work / 1.6, 9)
  })

  it('sleep as long whatever their size', () => {
    const [small, large] = [512, 3008].map((mb) => run(core, [segment('sleep')], mb).durationMs)
    expect(small! - large!).toBeLessThan(2)
    expect(large!).toBeGreaterThan(300)
  })

  it('work harder when memory is short, and their counters show it', () => {
    const [tight, roomy] = [128, 512].map((mb) => run(core, [segment('image-resize')], mb))
    expect(tight!.durationMs).toBeGreaterThan(4 * 1.3 * roomy!.durationMs)
    expect(tight!.counted[1]).toBeGreaterThan(1.3 * roomy!.counted[1]!)
  })

  it('are refused in odd numbers', () => {
    expect(() => generateServerless(core, { functions: 0.5 })).toThrow(/functions must be a whole number >= 1, got 0.5/)
  })
})

import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  checkServerlessSpec,
  generateFunctions,
  ServerlessPlatform,
  type ServerlessSpec,
} from '../../src/serverless/index.js'
import { busySpec } from './worlds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

describe('a spec', () => {
  it('that is whole survives JSON', () => {
    const spec = busySpec(core, 1, 6)
    const [here, there] = [spec, JSON.parse(JSON.stringify(spec))].map((one) => new ServerlessPlatform(core, one))
    here!.reset(3)
    there!.reset(3)
    expect(there!.save()).toEqual(here!.save())
    here!.dispose()
    there!.dispose()
  })

  it('is refused with everything that is wrong with it', () => {
    const good = busySpec(core, 1, 6)
    const [one] = good.functions
    const bad = {
      ...good,
      stepSeconds: 0,
      cpuMode: 'fair',
      arrivals: 'late',
      colour: 'red',
      functions: [{ ...one, workSeconds: -1, category: 'gpu', idleMemoryMiB: 9999 }],
      tenants: [{ functions: ['nobody'], loads: ['none'], meanCores: Number.NaN }],
      loads: { short: [1, 2], negative: new Array(100).fill(-1) },
      invokers: [{ count: 0.5, cores: 0, memoryMiB: 1024, speed: 1, ioStreams: 1 }],
      bounds: { shares: [128, 64], containers: [0, 2.5] },
      events: [
        { step: 3, kind: 'join', tenant: 1 },
        { step: 2, kind: 'invoker-loss', invoker: 0 },
        { step: 4, kind: 'boom' },
      ],
    } as unknown as ServerlessSpec
    let message = ''
    try {
      checkServerlessSpec(bad)
    } catch (error) {
      message = (error as Error).message
    }
    for (const path of [
      ...[
        'stepSeconds',
        'cpuMode',
        'arrivals must',
        'spec.colour',
        'functions[0].workSeconds',
        'functions[0].category',
      ],
      ...[
        'functions[0].idleMemoryMiB',
        'tenants[0].functions: nobody',
        'tenants[0].loads: none',
        'tenants[0].meanCores',
      ],
      ...['loads.short', 'loads.negative[0]', 'invokers[0].count', 'invokers[0].cores', 'bounds.shares'],
      ...['bounds.containers', 'events[0].tenant', 'events[1].step', 'events[2].kind'],
    ]) {
      expect(message).toContain(path)
    }
  })

  it.each([undefined, {}, [], { tenants: [null] }, { functions: 3, loads: { a: 7 }, events: [null] }])(
    'that is none is refused, not stumbled over: %j',
    (spec) => {
      expect(() => checkServerlessSpec(spec as unknown as ServerlessSpec)).toThrow(
        expect.objectContaining({ code: 'config_invalid' }),
      )
    },
  )
})

describe('generated functions', () => {
  it('are the same for a seed however many, all usable, and of every category', () => {
    const many = generateFunctions(core, 3, 3000)
    expect(generateFunctions(core, 3, 20)).toEqual(many.slice(0, 20))
    expect(generateFunctions(core, 4, 20)).not.toEqual(many.slice(0, 20))
    checkServerlessSpec({
      ...busySpec(core, 1, 2),
      functions: many,
      tenants: [{ functions: [many[0]!.name], loads: ['jumps-0'] }],
      events: [],
    })
    const meanOf = (category: string, of: (one: (typeof many)[number]) => number): number => {
      const some = many.filter((one) => one.category === category)
      expect(some.length).toBeGreaterThan(900)
      return some.reduce((sum, one) => sum + of(one), 0) / some.length
    }
    // What makes them of their category.
    expect(meanOf('io', (one) => one.ioSeconds)).toBeGreaterThan(5 * meanOf('cpu', (one) => one.ioSeconds))
    expect(meanOf('cpu', (one) => one.workSeconds)).toBeGreaterThan(4 * meanOf('io', (one) => one.workSeconds))
    expect(meanOf('memory', (one) => one.memorySensitivity)).toBeGreaterThan(
      2 * meanOf('cpu', (one) => one.memorySensitivity),
    )
  })
})

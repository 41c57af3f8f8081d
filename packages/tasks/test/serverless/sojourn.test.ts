import { type Core, createCore, percentile, Random } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { isolatedP99Ms, type Sojourn, SojournTime } from '../../src/serverless/sojourn.js'
import { paperFunction } from './worlds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

describe('isolated p99', () => {
  // Dissertation 4.8.2, ms.
  it.each([
    ['markdown-to-html', 178.8],
    ['uploader', 283.4],
    ['graph-mst', 651.8],
    ['sentiment-analysis', 1190.2],
  ])('of %s is within 10 %% of the printed %f ms', (name, printed) => {
    expect(Math.abs(isolatedP99Ms(core.math, paperFunction(name)) / printed - 1)).toBeLessThan(0.1)
  })
})

describe('the p99 of wait and service', () => {
  const base: Sojourn = {
    ...{ ioSeconds: 0.05, freeSeconds: 0.3, crowdedSeconds: 0.3, crowdProbability: 0 },
    ...{ workScv: 0.25, waitProbability: 0, waitSeconds: 0 },
  }
  it.each<[string, Partial<Sojourn>]>([
    ['neither wait nor crowd', {}],
    ['a rare wait', { waitProbability: 0.05, waitSeconds: 0.4 }],
    ['a wait for all', { waitProbability: 1, waitSeconds: 2 }],
    ['a crowd', { crowdProbability: 0.5, crowdedSeconds: 0.6 }],
    ['both', { crowdProbability: 0.3, crowdedSeconds: 0.9, waitProbability: 0.4, waitSeconds: 0.5 }],
    ['work that varies much', { workScv: 1, waitProbability: 0.2, waitSeconds: 0.1 }],
  ])('is that of drawn requests, with %s', (_name, change) => {
    const sojourn = { ...base, ...change }
    const random = new Random(core, 7)
    const shape = 1 / sojourn.workScv
    const drawn = Array.from({ length: 200_000 }, () => {
      const work = random.uniform() < sojourn.crowdProbability ? sojourn.crowdedSeconds : sojourn.freeSeconds
      const wait = random.uniform() < sojourn.waitProbability ? random.exponential(sojourn.waitSeconds) : 0
      return sojourn.ioSeconds + (work * random.gamma(shape)) / shape + wait
    })
    random.dispose()
    // 200,000 draws leave the p99 uncertain by about 1 %; a wait for all is no gamma: 3 %.
    expect(Math.abs(new SojournTime(core.math).p99(sojourn) / percentile(drawn, 99) - 1)).toBeLessThan(0.05)
  })
})

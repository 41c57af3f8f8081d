import { type Core, createCore, Random } from '@trimtab/core'
import { beforeAll, expect, it } from 'vitest'
import { createMetaLearner, createRegressor, type Samples, SlPretraining } from '../../src/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const shapes = { features: 1, labels: 1 }

/** y = slope · x: what a pair's labels say is its slope, which no feature shows. */
function line(random: Random, slope: number, n: number): Samples {
  const features = Float32Array.from({ length: n }, () => 2 * random.uniform() - 1)
  return { features, labels: features.map((x) => slope * x) }
}

it('learns to read a hidden slope from three labelled samples of a pair it has never seen', () => {
  using random = new Random(core, 1)
  using meta = createMetaLearner(core, { seed: 1, options: { dense: [4], hiddenSize: 32 } })
  meta.registerBaseLearner('lines', { kind: 'sl', ...shapes })
  using learner = createRegressor(core, {
    features: ['x'],
    options: { hidden: [32, 32], contextSize: 4, maxGroups: 8, batchSize: 64, standardise: false },
    seed: 1,
  })
  const pairs = Array.from({ length: 40 }, () => line(random, 2 * random.uniform() - 1, 20))
  using pretraining = new SlPretraining(core, {
    ...{ learner, meta, shapes, pairs, seed: 1 },
    options: { pairsPerUpdate: 8, rowsPerPair: 8, contextSamples: [1, 5] },
  })
  for (let i = 0; i < 2000; i++) pretraining.update()
  meta.toggleMetaUpdate(false)
  const errors = [-0.9, -0.4, 0.3, 0.8].map((slope) => {
    const test = line(random, slope, 50)
    meta.forget()
    learner.setContext(meta.getEmbedding())
    const without = learner.evaluate(test.features, test.labels)
    meta.insertSamples(line(random, slope, 3))
    learner.setContext(meta.getEmbedding())
    return [without, learner.evaluate(test.features, test.labels)] as const
  })
  const mean = (i: 0 | 1): number => errors.reduce((sum, error) => sum + error[i], 0) / errors.length
  expect(mean(0)).toBeGreaterThan(0.1) // the variance of slope · x, about 0.14
  expect(mean(1)).toBeLessThan(mean(0) / 5)
})

it('refuses pairs with nothing left to predict', () => {
  using random = new Random(core, 1)
  using meta = createMetaLearner(core, { seed: 1 })
  meta.registerBaseLearner('lines', { kind: 'sl', ...shapes })
  using learner = createRegressor(core, { features: ['x'], options: { contextSize: 16, maxGroups: 2 }, seed: 1 })
  const options = { pairsPerUpdate: 2, rowsPerPair: 2, contextSamples: [1, 3] } as const
  const make = (pairs: Samples[]): SlPretraining =>
    new SlPretraining(core, { learner, meta, shapes, pairs, options, seed: 1 })
  expect(() => make([line(random, 1, 3)])).toThrow(/pairs\[0\] must hold more than contextSamples\[1\] = 3/)
  expect(() => make([])).toThrow(/pairs must hold at least one/)
})

import { type Core, createCore, Random } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { encodeConfigurations, padConfigurations } from '../../src/rightsizing/features.js'
import {
  crossValidate,
  finish,
  generateServerless,
  NETWORK_PRESETS,
  type NetworkOptions,
  networkPredictor,
  type RuntimeTable,
  RuntimeTableBuilder,
  SET_EMBEDDING,
  STATISTICAL_PREDICTORS,
  samplesOf,
} from '../../src/rightsizing/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const SIZES = [1, 2, 4, 8, 16]
const network: NetworkOptions = { ...NETWORK_PRESETS.network, hidden: [32, 32], learningRate: 5e-3 }
const embedding: NetworkOptions = { ...network, maxBases: 1, embedding: { hiddenSize: 32, size: 8 } }

/** Runtimes level · size^−steepness: what one sample cannot tell is how steep. */
function powerLaws(workloads: number, steepness: (random: Random) => number): RuntimeTable {
  const random = new Random(core, 11)
  const builder = new RuntimeTableBuilder(['size'])
  for (let w = 0; w < workloads; w++) {
    const level = core.math.exp(random.normal(0, 1))
    const slope = steepness(random)
    for (const size of SIZES) {
      const seconds = level * core.math.pow(size, -slope)
      builder.add({ workload: `w${w}`, settings: [`${size}`], seconds, usd: Number.NaN, counters: [] })
    }
  }
  random.dispose()
  return builder.build('power laws')
}

const mapeOf = (table: RuntimeTable, options: NetworkOptions, labels: number): number =>
  finish(crossValidate(core, table, networkPredictor(options), { labels: [labels], folds: 3, repeats: 1 }))[0]!.mape

describe('a network for runtimes', () => {
  it('learns that twice the size takes half the time', () => {
    expect(
      mapeOf(
        powerLaws(40, () => 1),
        network,
        1,
      ),
    ).toBeLessThan(0.03)
  })

  it('on raw seconds learns it less well, and still better than by copying', () => {
    const raw: NetworkOptions = { ...NETWORK_PRESETS.sizeless, hidden: [32, 32], learningRate: 5e-3, weightDecay: 0 }
    const table = powerLaws(40, () => 1)
    const error = mapeOf(table, raw, 1)
    const { copy } = STATISTICAL_PREDICTORS
    const [copied] = finish(crossValidate(core, table, copy, { labels: [1], folds: 3, repeats: 1 }))
    expect(error).toBeGreaterThan(0.03)
    expect(error).toBeLessThan(0.5 * copied!.mape)
  })

  it('with an embedding uses labels that are not in its input', () => {
    const table = powerLaws(60, (random) => random.uniform())
    const without = mapeOf(table, network, 1)
    const withMore = mapeOf(table, embedding, 3)
    expect(without).toBeGreaterThan(0.15) // it cannot know
    expect(withMore).toBeLessThan(0.5 * without)
  })

  it('with counters sees from one run of a function what kind it is', () => {
    const options = { ...network, epochs: 60 }
    const [blind, seeing] = [false, true].map((counters) =>
      mapeOf(generateServerless(core, { functions: 120, counters }), options, 1),
    )
    expect(seeing!).toBeLessThan(0.7 * blind!)
  })

  it('gives the same bits for the same seed, others for another, and leaves no memory behind', () => {
    const table = powerLaws(10, (random) => random.uniform())
    const samples = samplesOf(table, table.workloads[0]!).slice(0, 2)
    const used = core.usedBytes
    const [a, b, c] = [1, 1, 2].map((seed) => {
      const predictor = networkPredictor({ ...embedding, epochs: 20 })(core, table, seed)
      const { seconds } = predictor.predict(samples)
      expect(predictor.predict(samples).seconds).toEqual(seconds)
      predictor.dispose()
      return seconds
    })
    expect(a).toEqual(b)
    expect(a).not.toEqual(c)
    expect(core.usedBytes).toBe(used)
  })

  it('says so when no workload has more measurements than it is given', () => {
    const table = powerLaws(4, () => 1)
    const predictor = networkPredictor(network)(core, table, 1)
    expect(() => predictor.predict(samplesOf(table, table.workloads[0]!))).toThrow(
      /no workload of power laws was measured on more than 5 configurations/,
    )
    expect(() => predictor.predict([])).toThrow(/needs a measured runtime/)
    predictor.dispose()
  })

  it('reads counters that are missing as usual ones', () => {
    const table = generateServerless(core, { functions: 10 })
    const predictor = networkPredictor({ ...network, epochs: 2 })(core, table, 1)
    const [sample] = samplesOf(table, table.workloads[0]!)
    const { seconds } = predictor.predict([{ ...sample!, counters: new Float64Array(7).fill(Number.NaN) }])
    expect(seconds.every((one) => one > 0 && one < Infinity)).toBe(true)
    predictor.dispose()
  })

  it('of the papers has their shape', () => {
    expect(NETWORK_PRESETS.sizeless).toMatchObject({ hidden: [256, 256, 256, 256], epochs: 200, scale: 'seconds' })
    expect(SET_EMBEDDING).toEqual({ hiddenSize: 64, size: 16 })
  })
})

describe('what a network sees of configurations', () => {
  const table = () => {
    const builder = new RuntimeTableBuilder(['cloud', 'type', 'nodes'])
    for (const settings of [
      ['A', '0', '1'],
      ['A', '1', '4'],
      ['B', '', '2'],
    ])
      builder.add({ workload: 'w', settings, seconds: 1, usd: Number.NaN, counters: [] })
    return builder.build('t')
  }

  it('is one column a word or code, all zero where none applies, and the logarithm of numbers', () => {
    const { width, values } = encodeConfigurations(core, table())
    expect(width).toBe(5) // A, B, type 0, type 1, nodes
    const rows = [0, 1, 2].map((c) => [...values.subarray(5 * c, 5 * c + 4)])
    expect(rows).toEqual([
      [1, 0, 1, 0],
      [1, 0, 0, 1],
      [0, 1, 0, 0],
    ])
    const nodes = [4, 9, 14].map((at) => values[at]!)
    expect(nodes[0]).toBeCloseTo(-Math.sqrt(1.5), 6) // ln 1, ln 4, ln 2: even steps, standardised
    expect(nodes[2]).toBeCloseTo(0, 6)
  })

  it('is the file’s numbers with zeros in the papers’ way', () => {
    const { width, values } = padConfigurations(table())
    expect(width).toBe(4) // A, B, type, nodes
    const types = [2, 6, 10].map((at) => values[at]!)
    expect(types[0]).toBe(types[2]) // type 0 and no type look alike
    expect(types[1]).toBeGreaterThan(types[0]!)
  })
})

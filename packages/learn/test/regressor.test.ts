import { type Core, createCore, Random } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { createRegressor, type Regressor, type RegressorOptions } from '../src/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const NAMES = ['memoryMb', 'share']
const regressor = (options: Partial<RegressorOptions> = {}, seed = 3): Regressor =>
  createRegressor(core, { features: NAMES, options: { hidden: [16, 16], batchSize: 16, ...options }, seed })

/** Durations of functions on unlike scales: memory in hundreds of MB, work in seconds. */
const table = (n: number, seed: number): { x: Float32Array; y: Float32Array } => {
  const random = new Random(core, seed)
  const x = new Float32Array(2 * n)
  const y = new Float32Array(n)
  for (let i = 0; i < n; i++) {
    const memory = 128 + 2900 * random.uniform()
    const share = random.uniform()
    x.set([memory, share], 2 * i)
    y[i] = 0.2 + (1 - share) * (1 + 300 / memory)
  }
  return { x, y }
}

describe('Regressor', () => {
  it.each(['mse', 'mape'] as const)(
    'learns durations to 5 %% with %s although features differ in scale, over five seeds',
    (loss) => {
      for (let seed = 1; seed <= 5; seed++) {
        const model = regressor({ loss, learningRate: 3e-3 }, seed)
        const taught = table(300, seed)
        const { losses } = model.fit(taught.x, taught.y, { epochs: 100 })
        expect(losses.at(-1)).toBeLessThan(losses[0]! / 5)
        const unseen = table(200, 100 + seed)
        const errors = model.predict(unseen.x).map((value, i) => Math.abs(value / unseen.y[i]! - 1))
        expect(errors.reduce((a, b) => a + b) / 200).toBeLessThan(0.05)
      }
    },
  )

  it('predicts through logarithms with log-mape', () => {
    const model = regressor({ loss: 'log-mape', learningRate: 3e-3 })
    const taught = table(300, 1)
    model.fit(
      taught.x,
      taught.y.map((value) => core.math.log(value)),
      { epochs: 100 },
    )
    const unseen = table(200, 2)
    const errors = model.predict(unseen.x).map((value, i) => Math.abs(core.math.exp(value) / unseen.y[i]! - 1))
    expect(errors.reduce((a, b) => a + b) / 200).toBeLessThan(0.05)
  })

  it('keeps the epoch that was best on unseen rows and stops when none is better', () => {
    const model = regressor({ learningRate: 1e-2, hidden: [64, 64] })
    const [few, unseen] = [table(12, 1), table(100, 2)]
    const noisy = few.y.map((value, i) => value + (i % 2 ? 0.3 : -0.3)) // something to overfit
    const report = model.fit(few.x, noisy, { epochs: 500, validation: unseen, patience: 20 })
    const best = Math.min(...report.validationLosses)
    expect(report.losses.length).toBe(report.keptEpochs + 20)
    expect(report.validationLosses[report.keptEpochs - 1]).toBe(best)
    expect(model.evaluate(unseen.x, unseen.y)).toBe(best)
  })

  it('goes on from a file to the byte', () => {
    const { x, y } = table(50, 1)
    const whole = regressor({ dropout: 0.2, weightDecay: 1e-3 })
    whole.fit(x, y, { epochs: 20 })
    const first = regressor({ dropout: 0.2, weightDecay: 1e-3 })
    first.fit(x, y, { epochs: 10 })
    const second = regressor({ dropout: 0.2, weightDecay: 1e-3 }, 77)
    second.load(first.save())
    second.fit(x, y, { epochs: 10 })
    expect(second.save()).toEqual(whole.save())
    expect(second.predict(x)).toEqual(whole.predict(x))
  })

  it('takes the scale of the first rows and keeps it', () => {
    const model = regressor()
    const first = table(50, 1)
    model.fit(first.x, first.y, { epochs: 1 })
    const seen = model.standardised(first.x)
    const mean = seen.filter((_, i) => i % 2 === 0).reduce((a, b) => a + b) / 50
    expect(Math.abs(mean)).toBeLessThan(1e-3)
    const far = Float32Array.of(10_000, 5)
    const before = model.standardised(far)
    model.fit(far, Float32Array.of(1), { epochs: 1 })
    expect(model.standardised(far)).toEqual(before)
  })

  it('sees a context behind its features', () => {
    const model = regressor({ contextSize: 2 })
    const { x } = table(3, 1)
    const without = model.predict(x)
    model.setContext(Float32Array.of(1, -1))
    expect(model.predict(x)).not.toEqual(without)
    model.setContext(new Float32Array(2))
    expect(model.predict(x)).toEqual(without)
  })

  it('refuses what it cannot learn from, and has no scale yet afterwards', () => {
    const model = regressor()
    const before = model.save()
    const { x, y } = table(4, 1)
    expect(() =>
      model.fit(
        x,
        y.map(() => NaN),
      ),
    ).toThrow(expect.objectContaining({ code: 'not_finite' }))
    expect(() => model.fit(x.subarray(1), y)).toThrow(expect.objectContaining({ code: 'size_mismatch' }))
    expect(() => model.fit(new Float32Array(0), new Float32Array(0))).toThrow(
      expect.objectContaining({ code: 'rows_empty' }),
    )
    expect(() => model.fit(x, y, { epochs: 0 })).toThrow(/epochs must be a whole number of 1 … 134217728, got 0/)
    expect(model.save()).toEqual(before)
    expect(() => regressor({ epochs: 0 })).toThrow(expect.objectContaining({ code: 'config_invalid' }))
  })

  it('refuses a file of other columns and stays as it was', () => {
    const model = regressor()
    const before = model.save()
    const other = createRegressor(core, { features: ['cores', 'share'], options: { hidden: [16, 16] }, seed: 1 })
    const { x, y } = table(4, 1)
    other.fit(x, y, { epochs: 1 })
    expect(() => model.load(other.save())).toThrow(expect.objectContaining({ code: 'policy_space_mismatch' }))
    expect(model.save()).toEqual(before)
  })
})

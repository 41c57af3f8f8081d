import { createServeCore } from '@trimtab/core/serve'
import { expect, it } from 'vitest'
import { type LengthEstimator, Scheduler } from '../../src/index.js'

const byPrompt: LengthEstimator = {
  predict: ({ prompt }) => ({ tokens: Number(prompt), score: 0, class: 0, source: 'model' }),
  observe() {},
}

it('counts a request for several answers as often as it asks for one, and tells it what it counts for', async () => {
  const options = { concurrency: 1, order: 'exact', maxBypassSeconds: Number.POSITIVE_INFINITY } as const
  using scheduler = new Scheduler({ core: await createServeCore(), ...options, estimator: byPrompt })
  scheduler.pause()
  const order: [string, number][] = []
  const add = (name: string, prompt: string, answers?: number) =>
    scheduler.add(({ expectedTokens }) => order.push([name, expectedTokens]), { model: 'm', prompt, answers })
  const done = [add('four of 50', '50', 4), add('one of 100', '100'), add('one of 300', '300')]
  scheduler.start()
  await Promise.all(done)
  expect(order).toEqual([
    ['one of 100', 100],
    ['four of 50', 200],
    ['one of 300', 300],
  ])
  await expect(add('none', '50', 0)).rejects.toThrow(/answers must be a whole number ≥ 1, got 0/)
})

import { createServeCore, type ServeCore } from '@trimtab/core/serve'
import { beforeAll, describe, expect, it } from 'vitest'
import { createWorkload, paperModels, planCluster, type ServedModel, simulateCluster, V100 } from '../../src/index.js'

let core: ServeCore
beforeAll(async () => {
  core = await createServeCore()
})
const models = paperModels(V100)
const small = models.filter(({ name }) => ['BERT-large', 'RoBERTa-large', 'GPT2-xl', 'OPT-1.3b'].includes(name))
const plan = (served: readonly ServedModel[], devices: number) =>
  planCluster(core, {
    law: V100,
    models: served,
    devices,
    ratePerSecond: 2,
    sloScale: 4,
    seed: 1,
    durationSeconds: 60,
    replicas: 4,
  })

describe('planning a cluster (simulation)', () => {
  it('covers every model within memory, and draws less with regard to sensitivity at the same attainment', () => {
    const { alpaServe, sensitivityAware } = plan(small, 4)
    for (const { deployment } of [alpaServe, sensitivityAware]) {
      expect(new Set(deployment.map(({ model }) => model)).size).toBe(small.length)
      const bytes = new Array<number>(4).fill(0)
      for (const { model, stages } of deployment) {
        for (const { device, begin, end } of stages) {
          for (const { memoryBytes } of small[model]!.operators.slice(begin, end)) bytes[device]! += memoryBytes
        }
      }
      for (const used of bytes) expect(used).toBeLessThanOrEqual(V100.memoryBytes)
      for (const { stages } of sensitivityAware.deployment) {
        expect(new Set(stages.map(({ device }) => device)).size).toBeLessThanOrEqual(sensitivityAware.devicesPerModel)
      }
    }
    const load = createWorkload(core, small, { ratePerSecond: 2, durationSeconds: 200, seed: 9 })
    const run = (deployment: typeof alpaServe.deployment, isScaled: boolean) => {
      const options = { law: V100, models: small, devices: 4, deployment, sloScale: 4, order: 'ssjf' as const }
      return simulateCluster(load, isScaled ? { ...options, scaler: {} } : options)
    }
    const still = run(alpaServe.deployment, false)
    const aware = run(sensitivityAware.deployment, true)
    expect(still.attainment).toBeGreaterThan(0.99)
    expect(aware.attainment).toBeGreaterThan(0.97)
    expect(still.watts / aware.watts).toBeGreaterThan(1.2)
  })

  it('says which model does not fit', () => {
    expect(() => plan(models, 2)).toThrow(/no division of 2 devices holds all models: .*model .* misses .* GB/)
  })
})

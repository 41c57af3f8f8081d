import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createTenantTelemetry,
  DemandRule,
  SERVERLESS_PRESETS,
  ServerlessEnvironment,
  type ServerlessPresetName,
  type TenantAllocation,
  TenantObserver,
  writeFeatures,
} from '../../src/serverless/index.js'
import { busySpec } from './worlds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const N = 3

describe.each(Object.keys(SERVERLESS_PRESETS) as ServerlessPresetName[])('%s', (name) => {
  it('is observed of a platform by its telemetry alone as of the simulator that it was learned in', () => {
    const preset = SERVERLESS_PRESETS[name]
    const ruleOf = () => new DemandRule({ margin: 1, windowSteps: 3, shares: 512, keepAliveSeconds: 30 })
    const environment = new ServerlessEnvironment(core, busySpec(core, 5, N, { events: [] }), preset, ruleOf)
    const rules = Array.from({ length: N }, ruleOf)
    const observers = Array.from({ length: N }, () => new TenantObserver())
    const observed = new Float32Array(N * preset.observation.length)
    const observe = () => {
      for (const [i, observer] of observers.entries()) {
        const telemetry = environment.platform.telemetry[i]!
        observer.observe(telemetry)
        rules[i]!.decide(telemetry, observer.view.advice)
        writeFeatures(preset.observation, observer.view, environment.scale, observed, i * preset.observation.length)
      }
      return observed
    }
    const first = environment.reset(7).observations
    expect(observe()).toEqual(first)
    for (let step = 0; step < 12; step++) {
      const allocations = observers.map(
        (_, i): TenantAllocation => ({
          containers: (step * (i + 1)) % 5,
          shares: 128 * (1 + (step % 4)),
          keepAliveSeconds: 20,
        }),
      )
      const { observations } = environment.allocate(allocations)
      expect(observe()).toEqual(observations)
    }
  })
})

describe('an observer', () => {
  it('knows nothing of a step whose demand is not known, and what it knew afterwards', () => {
    const observer = new TenantObserver()
    const known = { ...createTenantTelemetry(), stepSeconds: 1, arrivals: 3, demandContainers: 2 }
    observer.observe(known)
    observer.observe({ ...known, stepSeconds: NaN, demandContainers: NaN, arrivals: NaN })
    expect(observer.view.telemetry.demandContainers).toBeNaN()
    observer.observe({ ...known, demandContainers: 1 })
    expect(observer.view).toMatchObject({ largestDemand: 2, idleSeconds: 1 })
  })
})

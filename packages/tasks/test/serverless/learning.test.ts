// One policy for all tenants, taught by a rule and trained on: what learning asks of the environment, from end to end.
import { type Core, createCore } from '@trimtab/core'
import { createPpo, imitateMany, MANY_TENANTS, SIMPPO_FULL, trainMany } from '@trimtab/learn'
import { beforeAll, expect, it } from 'vitest'
import {
  DemandRule,
  INVOKER,
  SERVERLESS_PRESETS,
  ServerlessEnvironment,
  TenantController,
} from '../../src/serverless/index.js'
import { busySpec } from './worlds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const N = 6
const RULE = { margin: 2, windowSteps: 6, shares: 256, keepAliveSeconds: 60 }

it('a rule can be imitated in level actions: the policy acts as it does on episodes that it has not seen', () => {
  const spec = { ...busySpec(core, 3, N), invokers: [{ ...INVOKER, count: 3 }] } // with churn and a lost invoker
  const environment = new ServerlessEnvironment(core, spec, SERVERLESS_PRESETS.priced)
  const { observation, action } = environment
  const options = { ...MANY_TENANTS.options, rolloutSteps: N * spec.episodeSteps }
  const agent = createPpo(core, { observation, action, seed: 1, partitions: N, preset: MANY_TENANTS.preset, options })
  const rule = (i: number): TenantController => new TenantController(environment, i, new DemandRule(RULE))
  const { agreements } = imitateMany(agent, rule, environment, { episodes: 12 })
  expect(agreements[0]!).toBeLessThan(0.5)
  expect(Math.min(...agreements.slice(-3))).toBeGreaterThan(0.95)
  agent.dispose()
  environment.dispose()
})

it('a critic may see the others: training with the full global state goes on to finite numbers', () => {
  const environment = new ServerlessEnvironment(core, busySpec(core, 3, N), SERVERLESS_PRESETS['simppo-full'])
  const { observation, action, global } = environment
  const options = { ...SIMPPO_FULL.options, rolloutSteps: N * 50 }
  const agent = createPpo(core, { observation, action, global, seed: 1, partitions: N, options })
  trainMany(agent, environment, { episodes: 3 })
  const report = agent.update()
  expect(report.updates).toBeGreaterThan(0)
  expect([report.skipped, Number.isFinite(report.criticLoss)]).toEqual([0, true])
  agent.dispose()
  environment.dispose()
})

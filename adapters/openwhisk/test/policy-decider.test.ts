import { type Core, createCore } from '@trimtab/core'
import { createPpo, loadPolicy } from '@trimtab/learn'
import {
  createTenantTelemetry,
  DemandRule,
  featureSpace,
  SERVERLESS_PRESETS,
  type TenantAllocation,
  TenantObserver,
  type TenantTelemetry,
  writeFeatures,
} from '@trimtab/tasks/serverless'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { decideByPolicy, decideByRules, type TeamDecider } from '../src/index.js'

const PRESET = SERVERLESS_PRESETS['priced-keep-alive']
const RULE = { margin: 1, windowSteps: 2, shares: 777, keepAliveSeconds: 33 }

let core: Core
let decider: TeamDecider | undefined
beforeAll(async () => {
  core = await createCore()
})
afterEach(() => decider?.dispose())

const policyFile = ({ task = 'serverless', preset = 'priced-keep-alive', seed = 1 } = {}): Uint8Array => {
  const spaces = { observation: featureSpace(PRESET.observation), action: PRESET.action.space }
  const agent = createPpo(core, {
    ...spaces,
    seed,
    task,
    preset,
    options: { hidden: [8], initialisation: 'orthogonal' },
  })
  const bytes = agent.savePolicy()
  agent.dispose()
  return bytes
}
const scaleOf = () => ({
  ...{ math: core.math, cores: 2, memoryMiB: 2048, largestContainerMiB: 256 },
  bounds: { shares: [128, 2048], containers: [0, 8] } as const,
})
const open = async (bytes = policyFile()) => {
  const rules = decideByRules(() => new DemandRule(RULE))
  decider = await decideByPolicy(core, bytes, { scale: scaleOf(), rules, stepMs: 1000 })
  return decider
}
const telemetryOf = (known: Partial<TenantTelemetry> = {}): TenantTelemetry => ({
  ...createTenantTelemetry(),
  ...{ stepSeconds: 1, arrivals: 20, demandCores: 1, demandContainers: 1, p99Ms: 90, sloMs: 100, usedCores: 1 },
  ...{ usedMemoryMiB: 100, memoryMiBPerContainer: 128, shares: 1024, containers: 2, keepAliveSeconds: 60 },
  ...{ warmContainers: 2, coldStartSeconds: 0.3, occupancy01: 0.5, ioShare01: 0 },
  ...known,
})
const map = (all: Record<string, TenantTelemetry>) => new Map(Object.entries(all))
/** Functions whose model has come. */
const joined = async (team: TeamDecider, ...names: string[]) => {
  team.decide(new Map(names.map((name) => [name, telemetryOf()])))
  await new Promise(setImmediate)
  return team
}

describe('a policy file', () => {
  it('decides for each function what it does with what its preset sees of it', async () => {
    const bytes = policyFile()
    const team = await joined(await open(bytes), 'a', 'b')
    const seen = { a: telemetryOf({ arrivals: 40, demandContainers: 3 }), b: telemetryOf({ arrivals: 1, p99Ms: 400 }) }
    const { allocations, fallbacks } = team.decide(map(seen))
    expect([...fallbacks]).toEqual([])
    using policy = loadPolicy(core, bytes)
    for (const name of ['a', 'b'] as const) {
      const observer = new TenantObserver()
      observer.observe(telemetryOf())
      observer.observe(seen[name])
      const observation = new Float32Array(PRESET.observation.length)
      const action = new Float32Array(PRESET.action.space.names.length)
      writeFeatures(PRESET.observation, observer.view, scaleOf(), observation, 0)
      policy.decide(observation, action)
      const wanted: TenantAllocation = { containers: 2, shares: 1024, keepAliveSeconds: 60 }
      PRESET.action.apply(action, 0, observer.view, scaleOf(), wanted)
      expect(allocations.get(name)).toEqual(wanted)
    }
  })

  it('leaves a function to its rule until it has come, and where telemetry is missing; it says so', async () => {
    const team = await open()
    expect([...team.decide(map({ a: telemetryOf() })).fallbacks]).toEqual([['a', 'no_model']])
    await new Promise(setImmediate)
    const blind = team.decide(map({ a: telemetryOf({ usedMemoryMiB: NaN }), b: telemetryOf() }))
    expect([...blind.fallbacks]).toEqual([['a', 'telemetry_missing']])
    expect(blind.allocations.get('a')).toEqual({ containers: 2, shares: 777, keepAliveSeconds: 33 })
    expect(blind.allocations.get('b')!.shares).not.toBe(777)
    expect([...team.decide(map({ a: telemetryOf() })).fallbacks]).toEqual([])
  })

  it('leaves a function as it is whose demand nobody knows', async () => {
    const team = await joined(await open(), 'a')
    const { allocations, fallbacks } = team.decide(map({ a: telemetryOf({ demandContainers: NaN }) }))
    expect([allocations.size, [...fallbacks]]).toEqual([0, [['a', 'demand_unknown']]])
  })

  it('forgets a function that is gone, and takes it as new when it comes back', async () => {
    const team = await joined(await open(), 'a', 'b')
    const first = team.decide(map({ b: telemetryOf() })).allocations
    expect([...first.keys()]).toEqual(['b'])
    expect([...team.decide(map({ b: telemetryOf(), a: telemetryOf() })).allocations.keys()].sort()).toEqual(['a', 'b'])
  })

  it.each([
    ['for another task', { task: 'autoscaling' }, 'policy_task_mismatch'],
    ['for a preset that nobody knows', { preset: 'mine' }, 'policy_preset_unknown'],
    ['for a preset that sees and does something else', { preset: 's-rl' }, 'policy_space_mismatch'],
  ])('%s is refused', async (_, made, code) => {
    await expect(open(policyFile(made))).rejects.toMatchObject({ code })
  })
})

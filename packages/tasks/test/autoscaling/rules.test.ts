import { type Controller, type Core, createCore } from '@trimtab/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  Aimd,
  AutoscalingEnvironment,
  type AutoscalingEvaluation,
  DEFAULT_BOUNDS,
  evaluateAutoscaling,
  generateApplication,
  generateLoad,
  HpaVpa,
  pickSafe,
  seedsFrom,
} from '../../src/autoscaling/index.js'
import { createFlat } from './worlds.js'

let core: Core
let environment: AutoscalingEnvironment
beforeAll(async () => {
  core = await createCore()
  environment = new AutoscalingEnvironment(core, generateApplication(core, 8), generateLoad(core, 8, 3))
})
afterAll(() => environment.dispose())

const rules: [string, (e: AutoscalingEnvironment) => Controller][] = [
  ['HPA+VPA', (e) => new HpaVpa(core, e, DEFAULT_BOUNDS, { podCores: 1, targetPercent: 40 })],
  ['HPA+VPA of large pods', (e) => new HpaVpa(core, e, DEFAULT_BOUNDS, { podCores: 4, targetPercent: 10 })],
  ['AIMD', (e) => new Aimd(e)],
]

describe.each(rules)('%s', (_, make) => {
  it.each(['relative', 'absolute'] as const)('stays within the bounds and scales (%s view)', (view) => {
    const world = new AutoscalingEnvironment(core, generateApplication(core, 8), generateLoad(core, 8, 3), { view })
    const replicas = new Set<number>()
    const result = evaluateAutoscaling(world, make(world), seedsFrom(1, 5), () => {
      const { coresPerReplica, memoryMiBPerReplica, readyReplicas, startingReplicas } = world.telemetry
      const n = readyReplicas + startingReplicas
      replicas.add(n)
      expect(coresPerReplica >= 0.125 && coresPerReplica <= 4).toBe(true)
      expect(memoryMiBPerReplica >= 128 && memoryMiBPerReplica <= 3072).toBe(true)
      expect(Number.isInteger(n) && n >= 1 && n <= 20).toBe(true)
    })
    expect(replicas.size).toBeGreaterThan(1)
    expect(result.reward).toBeGreaterThan(80)
    world.dispose()
  })

  it('does the same twice: nothing of one episode is left for the next', () => {
    const world = createFlat(core, 0.5, { view: 'absolute' })
    const rule = make(world)
    const first = evaluateAutoscaling(world, rule, [1, 2])
    expect(evaluateAutoscaling(world, rule, [1, 2])).toEqual(first)
    world.dispose()
  })

  it('lives without traffic', () => {
    const world = createFlat(core, 0)
    const action = new Float32Array(3)
    const rule = make(world)
    let observation = world.reset(1)
    rule.beginEpisode?.()
    for (let i = 0; i < 50; i++) {
      rule.decide(observation, action)
      expect(action.every((a) => a >= -1 && a <= 1)).toBe(true)
      observation = world.step(action).observation
    }
    world.dispose()
  })
})

describe('AIMD', () => {
  it('comes down as soon as a long outage is over: what could not be had is not remembered', () => {
    const world = createFlat(core, 0.3, { view: 'absolute' })
    const rule = new Aimd(world)
    const action = new Float32Array(3)
    const observation = world.reset(1)
    const decide = (p99Ms: number): number => {
      world.telemetry.p99Ms = p99Ms
      rule.decide(observation, action)
      world.step(action)
      return world.simulator.allocation.replicas
    }
    rule.beginEpisode()
    for (let i = 0; i < 60; i++) decide(1e6)
    expect(world.simulator.allocation.replicas).toBe(20)
    for (let i = 0; i < 5; i++) decide(1)
    expect(world.simulator.allocation.replicas).toBeLessThan(20)
    world.dispose()
  })
})

describe('the search', () => {
  const tried = (list: [reward: number, violationPercent: number][]) =>
    list.map(([reward, violationPercent]) => ({ reward, violationPercent }) as AutoscalingEvaluation)
  it.each<[string, [number, number][], number]>([
    [
      'the best of those within the limit',
      [
        [170, 3],
        [160, 0.9],
        [150, 0.1],
      ],
      160,
    ],
    [
      'the best within half a point of the fewest when none is',
      [
        [170, 3],
        [160, 2.4],
        [150, 2],
      ],
      160,
    ],
    [
      'the first of equals',
      [
        [160, 0.5],
        [160, 0],
      ],
      160,
    ],
  ])('pickSafe takes %s', (_, list, reward) => {
    expect(pickSafe(tried(list), (e) => e, 1).reward).toBe(reward)
  })
})

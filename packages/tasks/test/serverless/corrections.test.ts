import { type Core, createCore, type ParallelStep, Random } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  DemandRule,
  HistogramRule,
  judgeRule,
  type MakeRule,
  PlatformTally,
  SERVERLESS_PRESETS,
  ServerlessEnvironment,
  ServerlessPlatform,
  TenantController,
} from '../../src/serverless/index.js'
import { busySpec } from './worlds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const N = 12
const PRESET = SERVERLESS_PRESETS.corrected
const UNCHANGED = [3, 2, 2] // of seven, five and five levels
const demand: MakeRule = () => new DemandRule({ margin: 2, windowSteps: 3, shares: 300, keepAliveSeconds: 45 })
const histogram: MakeRule = () =>
  new HistogramRule({
    ...{ margin: 2, windowSteps: 3, shares: 300 },
    ...{ head01: 0.1, tail01: 0.9, standardKeepAliveSeconds: 100 },
  })
const worldOf = (seed: number, rule: MakeRule = demand): ServerlessEnvironment =>
  new ServerlessEnvironment(core, busySpec(core, seed, N), PRESET, rule)
const unchanged = (): Float32Array => Float32Array.from({ length: 3 * N }, (_, i) => UNCHANGED[i % 3]!)
const drawn = (random: Random, { high }: ServerlessEnvironment['action']): Float32Array =>
  Float32Array.from({ length: 3 * N }, (_, i) => random.integer(high[i % 3]! + 1))

describe('corrections of a rule', () => {
  it.each([
    ['demand', demand],
    ['histogram', histogram],
  ])('that change nothing are the rule, with tenants that come and go: %s', (_, rule) => {
    const environment = worldOf(3, rule)
    const tally = new PlatformTally()
    environment.reset(5)
    for (let isOver = false; !isOver; ) {
      isOver = environment.step(unchanged()).truncated
      tally.note(environment.platform)
    }
    const platform = new ServerlessPlatform(core, environment.platform.spec)
    expect(tally.record()).toEqual(judgeRule(platform, [5], rule))
    platform.dispose()
    environment.dispose()
  })

  it('come closest to the rule’s own answer by changing nothing', () => {
    const environment = worldOf(3)
    const random = new Random(core, 1)
    const rules = Array.from({ length: N }, (_, i) => new TenantController(environment, i, demand(i, null as never)))
    for (const rule of rules) rule.beginEpisode()
    let { observations } = environment.reset(5)
    const size = environment.observation.names.length
    for (let step = 0; step < 20; step++) {
      const out = new Float32Array(3)
      for (const [i, rule] of rules.entries()) {
        rule.decide(observations.slice(i * size, (i + 1) * size), out)
        expect([...out]).toEqual(environment.platform.isPresent(i) ? UNCHANGED : [Number.NaN, Number.NaN, Number.NaN])
      }
      ;({ observations } = environment.step(drawn(random, environment.action)))
    }
    random.dispose()
    environment.dispose()
  })

  it('stay within the bounds of the platform, and what is seen within its space, whatever is drawn', () => {
    const environment = worldOf(1)
    const random = new Random(core, 1)
    const { low, high, names } = environment.observation
    const { shares, containers } = environment.platform.spec.bounds
    environment.reset(1)
    for (let step = 0; step < 50; step++) {
      const { observations } = environment.step(drawn(random, environment.action))
      for (const [i, t] of environment.platform.telemetry.entries()) {
        if (!environment.platform.isPresent(i)) continue
        expect(t.shares).toBeGreaterThanOrEqual(shares[0])
        expect(t.shares).toBeLessThanOrEqual(shares[1])
        expect(t.containers).toBeGreaterThanOrEqual(containers[0])
        expect(t.containers).toBeLessThanOrEqual(containers[1])
        const row = observations.subarray(i * names.length, (i + 1) * names.length)
        expect(row.every((x, k) => x >= low[k]! && x <= high[k]!)).toBe(true)
      }
    }
    random.dispose()
    environment.dispose()
  })

  it('tell the same story for the same seed', () => {
    const environment = worldOf(1)
    const story = (): ParallelStep[] => {
      const random = new Random(core, 2)
      const steps = [structuredClone(environment.reset(7))]
      for (let step = 0; step < 20; step++)
        steps.push(structuredClone(environment.step(drawn(random, environment.action))))
      random.dispose()
      return steps
    }
    expect(story()).toEqual(story())
    environment.dispose()
  })

  it('need a rule to correct, and are not saved: the rule keeps its memory', () => {
    const spec = busySpec(core, 1, N)
    expect(() => new ServerlessEnvironment(core, spec, PRESET)).toThrow(
      expect.objectContaining({ code: 'adviser_missing' }),
    )
    const environment = worldOf(1)
    expect(() => environment.save()).toThrow(expect.objectContaining({ code: 'not_savable' }))
    environment.dispose()
  })
})

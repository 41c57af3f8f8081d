// Envelope, lifecycle, guard and loop with agents whose action is one of several levels in order.
import { type Agent, type Controller, type Core, createCore, Random, type Step, type Transition } from '@trimtab/core'
import {
  createDqn,
  createPpo,
  createQTable,
  discreteSpace,
  evaluate,
  type QTableSetup,
  type TrainingEnvironment,
} from '@trimtab/learn'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { ControlLoop, EnvelopePilot, Lifecycle, LifecyclePilot, type Tick } from '../src/index.js'
import { box, constant } from './toys.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const LEVELS = 11
const action = discreteSpace('level', LEVELS)
const observation = box(['load'], 0, 1)
const isViolation = (info: Step['info']): boolean => info.violation === 1

/** A load in tenths; levels below it break the SLO, each level above it costs. */
class Server implements TrainingEnvironment {
  readonly observation = observation
  readonly action = action
  readonly #random = new Random(core, 5)
  #load = 0
  #steps = 0

  reset(seed: number): Float32Array {
    this.#random.reseed(seed, 5)
    this.#steps = 0
    return this.#see()
  }
  step([level]: Float32Array): Step {
    const spare = level! - 10 * this.#load
    const violation = spare < -1e-3 ? 1 : 0
    const reward = violation ? 0 : 1 - spare / 10
    return { observation: this.#see(), reward, terminated: false, truncated: ++this.#steps === 50, info: { violation } }
  }
  save(): Uint8Array {
    return this.#random.save()
  }
  load(state: Uint8Array): void {
    this.#random.load(state)
  }
  #see(): Float32Array {
    this.#load = this.#random.integer(7) / 10
    return Float32Array.of(this.#load)
  }
}

/** Two levels more than are needed. */
const rule: Controller = {
  name: 'two to spare',
  decide: ([load], out) => void out.fill(Math.min(10, Math.round(10 * load!) + 2)),
}

const agents: [string, () => Agent][] = [
  ['Dqn', () => createDqn(core, { observation, action, seed: 1 })],
  ['QTable', () => createQTable(core, { observation, action, seed: 1 } satisfies QTableSetup)],
  ['Ppo', () => createPpo(core, { observation, action, seed: 1 })],
]

const isLevel = (level: number): boolean => Number.isInteger(level) && level >= 0 && level < LEVELS

describe.each(agents)('%s', (_name, make) => {
  it('acts inside an envelope of whole levels around the rule, and learns there', () => {
    const agent = make()
    const environment = new Server()
    const pilot = new EnvelopePilot(agent, rule, action, { isViolation, ruleEpisodes: 2, safeDirection: [1] })
    const loop = new ControlLoop({ environment, pilot })
    const ruled = new Float32Array(1)
    let acted = 0
    let differed = 0
    for (let episode = 0; episode < 20; episode++) {
      const risky = Math.round(pilot.width * 5)
      const safe = Math.round(Math.max(pilot.width, 0.5) * 5)
      loop.runEpisode((tick: Tick) => {
        rule.decide(tick.observation, ruled)
        const gap = tick.action[0]! - ruled[0]!
        expect(isLevel(tick.action[0]!)).toBe(true)
        expect(tick.fallback).toBeUndefined()
        if (tick.source !== 'agent') return expect(gap).toBe(0)
        acted++
        if (gap !== 0) differed++
        expect(gap).toBeGreaterThanOrEqual(-risky)
        expect(gap).toBeLessThanOrEqual(safe)
      })
    }
    expect(acted).toBeGreaterThan(200)
    expect(differed).toBeGreaterThan(20)
    const judged: number[] = []
    evaluate(pilot.policy, environment, { seeds: [1], onTick: (tick) => judged.push(tick.action[0]!) })
    expect(judged.every(isLevel)).toBe(true)
    agent.dispose()
  })

  it('lives through the stages of a lifecycle', () => {
    const agent = make()
    const learned: number[] = []
    const observe = agent.observe.bind(agent)
    agent.observe = (transition: Transition) => {
      learned.push(transition.action[0]!)
      observe(transition)
    }
    const profile = {
      bootstrap: true,
      onlineReward: 10,
      servingReward: -1,
      servingDeviation: 100,
      window: 2,
      hysteresis: 1,
    }
    const pilot = new LifecyclePilot({ agent, rule, lifecycle: new Lifecycle(profile) })
    const loop = new ControlLoop({ environment: new Server(), pilot })
    const stages = Array.from({ length: 6 }, () => {
      const stage = pilot.stage
      loop.runEpisode((tick) => expect(isLevel(tick.action[0]!)).toBe(true))
      return stage
    })
    expect(stages).toEqual(['offline', 'offline', 'online', 'online', 'serving', 'serving'])
    expect(learned).toHaveLength(200) // in serving nothing is learned
    expect(learned.every(isLevel)).toBe(true)
    agent.dispose()
  })

  it('moves at most a level a step where the guard says so', () => {
    const agent = make()
    const pilot = new EnvelopePilot(agent, rule, action, { isViolation, ruleEpisodes: 1, startWidth: 2 })
    const limits = { level: { increase: { maxStep: 1 }, decrease: { maxStep: 1 } } }
    const loop = new ControlLoop({ environment: new Server(), pilot, guard: { limits } })
    for (let episode = 0; episode < 4; episode++) {
      let last: number | undefined
      loop.runEpisode((tick) => {
        if (last !== undefined) expect(Math.abs(tick.action[0]! - last)).toBeLessThanOrEqual(1)
        last = tick.action[0]
      })
    }
    agent.dispose()
  })
})

describe('an envelope of levels', () => {
  it('is as wide as its width says, in whole levels, whatever agent and rule say', () => {
    const level = fc.integer({ min: 0, max: LEVELS - 1 })
    const width = fc.double({ min: 0, max: 2, noNaN: true })
    fc.assert(
      fc.property(level, level, width, (says, ruled, startWidth) => {
        const agent = { ...createFake(), explore: (_: Float32Array, out: Float32Array) => void out.fill(says) }
        const options = { isViolation, ruleEpisodes: 1, startWidth, safeWidth: 0 }
        const pilot = new EnvelopePilot(agent, constant(ruled), action, options)
        pilot.endEpisode()
        const out = new Float32Array(1)
        pilot.decide(Float32Array.of(0), out)
        const reach = Math.round(5 * startWidth)
        expect(out[0]).toBe(Math.min(ruled + reach, Math.max(ruled - reach, says)))
      }),
    )
  })
})

function createFake(): Agent {
  return {
    ...{ name: 'fake', contextSize: 0, explorationScale: 1, explorationLevel: 0.1 },
    decide() {},
    explore() {},
    observe() {},
    update: () => ({ updates: 0, skipped: 0, criticLoss: 0, actorLoss: 0, meanQ: 0 }),
    endEpisode() {},
    setContext() {},
    save: () => new Uint8Array(),
    load() {},
    dispose() {},
  }
}

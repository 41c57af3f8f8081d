// The loop with a real agent on the real core: the literal lifecycle, and a core that traps in mid-run.
import { type Core, createCore, type Environment, Random, type Step } from '@trimtab/core'
import { boxSpace, createDdpg, type Ddpg } from '@trimtab/learn'
import { describe, expect, it } from 'vitest'
import { ControlLoop, Lifecycle, LifecyclePilot, rulePilot, type Stage, servingPilot, type Tick } from '../src/index.js'
import { constant } from './toys.js'

/** A load that jumps about; the closer the action to it, the better. Doing nothing earns 1 − E|load| = 0.5 a step. */
class Follow implements Environment {
  readonly observation = boxSpace(['load'])
  readonly action = boxSpace(['allocation'])
  readonly #random: Random
  #load = 0

  constructor(core: Core) {
    this.#random = new Random(core, 7)
  }

  reset(): Float32Array {
    this.#load = 0
    return Float32Array.of(0)
  }

  step(action: Float32Array): Step {
    const reward = 1 - Math.abs(action[0]! - this.#load)
    this.#load = 2 * this.#random.uniform() - 1
    return { observation: Float32Array.of(this.#load), reward, terminated: false, truncated: false, info: {} }
  }

  save(): Uint8Array {
    return this.#random.save()
  }

  load(state: Uint8Array): void {
    this.#random.load(state)
  }
}

const rule = constant(0, 'do nothing')
const options = { rewardBaseline: 0.5, batchSize: 32, warmUp: 64, discount: 0.9, calibrationSteps: 0 }
const makeAgent = (core: Core, seed: number): Ddpg =>
  createDdpg(core, { options, observation: boxSpace(['load']), action: boxSpace(['allocation']), seed })
const makeLifecycle = () =>
  new Lifecycle({ bootstrap: true, onlineReward: 40, servingReward: 80, servingDeviation: 5, window: 5 })

describe('LifecyclePilot with DDPG', () => {
  it('learns from the rule, then by itself, until it serves, and earns more than the rule does', async () => {
    const core = await createCore()
    const returnOf = (pilot: ConstructorParameters<typeof ControlLoop>[0]['pilot']) =>
      new ControlLoop({ environment: new Follow(core), pilot, episodeSteps: 100 }).runEpisode().reward
    const byRule = returnOf(rulePilot(rule))
    const byAgent: number[] = []
    for (const seed of [1, 2, 3]) {
      const agent = makeAgent(core, seed)
      const pilot = new LifecyclePilot({ agent, rule, lifecycle: makeLifecycle() })
      const loop = new ControlLoop({ environment: new Follow(core), pilot, episodeSteps: 100 })
      const stages = new Set<Stage>()
      for (let episode = 0; episode < 80; episode++) {
        stages.add(pilot.stage)
        loop.runEpisode()
      }
      expect([...stages]).toEqual(['offline', 'online', 'serving'])
      byAgent.push(returnOf(servingPilot(agent, rule)))
      agent.dispose()
    }
    expect(byRule).toBeGreaterThan(40)
    expect(byRule).toBeLessThan(60)
    expect(Math.min(...byAgent)).toBeGreaterThan(80) // of 100; the rule has about 50
    expect(Math.max(...byAgent) - Math.min(...byAgent)).toBeLessThan(15)
  })

  it('survives a core that traps in mid-run: the rule goes on, and the last save comes back on a new core', async () => {
    const [world, first, spare] = [await createCore(), await createCore(), await createCore()]
    const profile = { bootstrap: false, onlineReward: 40, servingReward: 1000, servingDeviation: 5 }
    let agent = makeAgent(first, 1)
    let saved = agent.save()
    const restored: Ddpg[] = []
    const pilotOf = (each: Ddpg) => new LifecyclePilot({ agent: each, rule, lifecycle: new Lifecycle(profile) })
    const loop = new ControlLoop({
      environment: new Follow(world),
      pilot: pilotOf(agent),
      episodeSteps: 20,
      restore() {
        agent = makeAgent(spare, 99)
        agent.load(saved)
        restored.push(agent)
        return pilotOf(agent)
      },
    })
    const ticks: Tick[] = []
    for (let episode = 0; episode < 6; episode++) {
      loop.runEpisode((tick) => {
        ticks.push({ ...tick })
        if (tick.episode === 3 && tick.step === 9) {
          // Far outside the memory: what a bug in the core would do.
          expect(() => first.exports.random_uniform(0xfffffff0)).toThrow(/trapped/)
        }
      })
      saved = agent.save()
    }
    const trouble = ticks.filter((tick) => tick.source !== 'agent')
    expect(trouble.map(({ episode, step, source, fallback }) => [episode, step, source, fallback])).toEqual([
      [3, 10, 'rule', 'agent_failed'],
      [3, 11, 'rule', undefined],
    ])
    expect(trouble[0]!.failure).toMatchObject({ code: 'core_trapped' })
    expect(restored).toHaveLength(1)
    expect(ticks.every((tick) => Number.isFinite(tick.action[0]) && Math.abs(tick.action[0]!) <= 1)).toBe(true)
  })
})

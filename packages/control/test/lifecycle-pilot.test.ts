import type { Agent, Controller, Transition, UpdateReport } from '@trimtab/core'
import { describe, expect, it } from 'vitest'
import { ControlLoop, Lifecycle, LifecyclePilot, type LifecycleState, type Stage } from '../src/index.js'
import { constant, controller, Scripted } from './toys.js'

const profile = { bootstrap: true, onlineReward: 3, servingReward: 4, servingDeviation: 0.5, window: 2, hysteresis: 1 }

class SpyAgent implements Agent {
  readonly name = 'spy'
  readonly contextSize = 0
  readonly explorationScale = 1
  readonly explorationLevel = 0
  readonly observed: Transition[] = []
  updates = 0
  episodes = 0
  decide(_observation: Float32Array, out: Float32Array): void {
    out.fill(2)
  }
  explore(_observation: Float32Array, out: Float32Array): void {
    out.fill(3)
  }
  observe(transition: Transition): void {
    this.observed.push({ ...transition })
  }
  update(): UpdateReport {
    this.updates++
    return { updates: this.updates, skipped: 0, criticLoss: 0, actorLoss: 0, meanQ: 0 }
  }
  endEpisode(): void {
    this.episodes++
  }
  save(): Uint8Array {
    return new Uint8Array()
  }
  load(): void {}
  setContext(): void {}
  dispose(): void {}
}

/** One episode of five steps, each worth `reward`, from the given stage. */
function episode(stage: Stage, reward = 0, rule: Controller = constant(1)) {
  const state: LifecycleState = { stage, rewards: [], candidate: stage, agreed: 0 }
  const agent = new SpyAgent()
  const lifecycle = new Lifecycle(profile, state)
  const environment = new Scripted(Array.from({ length: 6 }, () => ({ reward })))
  const loop = new ControlLoop({ environment, pilot: new LifecyclePilot({ agent, rule, lifecycle }) })
  const summary = loop.runEpisode()
  return { agent, lifecycle, loop, summary, applied: environment.applied.map(([limit]) => limit) }
}

describe('LifecyclePilot', () => {
  it('lets the rule act in OFFLINE while the agent learns from its trajectory', () => {
    const { agent, applied, summary } = episode('offline')
    expect(applied).toEqual([1, 1, 1, 1, 1])
    expect(summary.sources).toEqual({ agent: 0, rule: 5, hold: 0 })
    expect(agent.observed.map((t) => [t.action[0], t.ruleAction?.[0]])).toEqual(Array(5).fill([1, 1]))
    expect(agent.updates).toBe(5)
    expect(agent.episodes).toBe(0)
  })

  it('lets the agent explore and learn in ONLINE', () => {
    const { agent, applied, summary } = episode('online')
    expect(applied).toEqual([3, 3, 3, 3, 3])
    expect(summary.sources.agent).toBe(5)
    expect({ learned: agent.observed.length, updates: agent.updates, episodes: agent.episodes }).toEqual({
      learned: 5,
      updates: 5,
      episodes: 1,
    })
  })

  it('lets the agent act without noise and without learning in SERVING', () => {
    const { agent, applied } = episode('serving', 1)
    expect(applied).toEqual([2, 2, 2, 2, 2])
    expect({ learned: agent.observed.length, updates: agent.updates, episodes: agent.episodes }).toEqual({
      learned: 0,
      updates: 0,
      episodes: 0,
    })
  })

  it('moves through the stages by episode rewards, and says the stage in each tick', () => {
    // Five steps of reward 1 are an episode of 5: above both thresholds.
    const { loop, lifecycle } = episode('offline', 1)
    const stages: Stage[] = []
    for (let i = 0; i < 5; i++) loop.runEpisode((tick) => void (tick.step === 0 && stages.push(tick.stage)))
    expect(stages).toEqual(['offline', 'online', 'online', 'serving', 'serving'])
    expect(lifecycle.stage).toBe('serving')
  })

  it('leaves SERVING when the monitored rewards fall', () => {
    expect(episode('serving', 0.1).lifecycle.stage).toBe('online')
  })

  it('keeps the rule informed in every stage, so that one with a memory is warm', () => {
    let asked = 0
    const rule = controller(() => ++asked)
    for (const stage of ['offline', 'online', 'serving'] as const) episode(stage, 0, rule)
    expect(asked).toBe(15)
  })

  it('does not blame the agent for a rule that fails in its shadow', () => {
    const rule: Controller = {
      name: 'broken',
      decide() {
        throw new Error('no metrics')
      },
    }
    expect(episode('serving', 1, rule).summary.sources).toEqual({ agent: 5, rule: 0, hold: 0 })
  })

  it('takes steps without a reward as average ones instead of as a bad policy', () => {
    const agent = new SpyAgent()
    const lifecycle = new Lifecycle(profile, { stage: 'serving', rewards: [], candidate: 'serving', agreed: 0 })
    const script = [{}, { reward: 1 }, { reward: Number.NaN }, { reward: Number.NaN }, { reward: 1 }, { reward: 1 }]
    const pilot = new LifecyclePilot({ agent, rule: constant(1), lifecycle })
    new ControlLoop({ environment: new Scripted(script), pilot }).runEpisode()
    expect(lifecycle.mean).toBe(5)
    expect(lifecycle.stage).toBe('serving')
  })
})

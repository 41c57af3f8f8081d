import { type Core, createCore, Random, type Transition } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Bcq, type BcqSetup, boxSpace, createBcq } from '../src/index.js'
import { Follow, judge } from './follow.js'

let core: Core
let world: Follow
beforeAll(async () => {
  core = await createCore()
  world = new Follow(core)
})

const OPTIONS = { discount: 0.9, hidden: [32, 32], rewardBaseline: 0.8, warmUp: 32, batchSize: 32, capacity: 5000 }
const make = (setup: Partial<BcqSetup> = {}): Bcq =>
  createBcq(core, {
    observation: boxSpace(['demand', 'rise', 'capacity']),
    action: boxSpace(['change']),
    seed: 1,
    task: 'follow',
    ...setup,
    options: { ...OPTIONS, ...setup.options },
  })

/** A rule that moves half of the way it should, as operators do: it lags behind the wave. */
const sluggish = (observation: Float32Array): number => observation[0]! - observation[2]!

/** Episodes of the rule with a little variety in what it does. */
function* trajectories(seed: number, episodes: number, spread = 0.4): Generator<Transition> {
  using random = new Random(core, seed)
  for (let episode = 0; episode < episodes; episode++) {
    let observation = world.reset(seed * 100 + episode)
    for (let truncated = false; !truncated; ) {
      const wanted = sluggish(observation) + spread * (2 * random.uniform() - 1)
      const action = Float32Array.of(Math.min(1, Math.max(-1, wanted)))
      const step = world.step(action)
      const { reward, terminated, observation: nextObservation } = step
      yield { observation, action, reward, nextObservation, terminated }
      ;({ observation, truncated } = step)
    }
  }
}

const step = (changes: Partial<Transition> = {}): Transition => ({
  observation: Float32Array.of(0.1, 0.2, 0.3),
  action: Float32Array.of(0.5),
  reward: 1,
  nextObservation: Float32Array.of(0.2, 0.1, 0.4),
  terminated: false,
  ...changes,
})

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

describe('Bcq', () => {
  it.each([1, 2, 3, 4, 5])(
    'earns more than the rule whose data taught it, with actions like the data’s, seed %d',
    (seed) => {
      using agent = make({ seed })
      for (const transition of trajectories(seed, 20)) agent.observe(transition)
      agent.learn(1500)
      let furthest = 0
      const own = judge(world, (observation, out) => {
        agent.decide(observation, out)
        furthest = Math.max(furthest, Math.abs(out[0]! - sluggish(observation)))
      })
      const rule = judge(world, (observation, out) => void out.fill(sluggish(observation)))
      expect(own).toBeGreaterThan(rule)
      expect(furthest).toBeLessThan(0.6) // of the data's 0.4, φ 0.05 and what the generative model adds
    },
  )

  it('does in the states of the data what a rule without variety did there, give or take φ', () => {
    using agent = make()
    const data = [...trajectories(1, 20, 0)]
    for (const transition of data) agent.observe(transition)
    agent.learn(1500)
    const out = new Float32Array(1)
    const gaps = data.map(({ observation, action }) => {
      agent.decide(observation, out)
      return Math.abs(out[0]! - action[0]!)
    })
    expect(gaps.sort((x, y) => x - y)[Math.floor(0.95 * gaps.length)]).toBeLessThan(0.15)
  })

  it('continues to the byte in the middle of learning online', () => {
    using whole = make()
    using rest = make({ seed: 7 })
    const action = new Float32Array(1)
    const live = (agent: Bcq, n: number): void => {
      for (let i = 0; i < n; i++) {
        agent.explore(step().observation, action)
        agent.observe(step({ action }))
        agent.update()
      }
      agent.endEpisode()
    }
    live(whole, 50)
    rest.load(whole.save())
    live(whole, 51)
    live(rest, 51)
    expect(sameBytes(rest.save(), whole.save())).toBe(true)
  })

  it('explores around the policy and inside [−1, 1]; scale 0 is the policy itself', () => {
    using agent = make()
    const [out, policy] = [new Float32Array(1), new Float32Array(1)]
    const explored = Array.from({ length: 50 }, () => {
      agent.explore(step().observation, out)
      return out[0]!
    })
    expect(new Set(explored).size).toBeGreaterThan(40)
    expect(Math.max(...explored.map(Math.abs))).toBeLessThanOrEqual(1)
    agent.explorationScale = 0
    agent.explore(step().observation, out)
    agent.act(step().observation, policy, 'actor')
    expect(out).toEqual(policy)
  })

  it('does nothing before the warm-up', () => {
    using agent = make({ options: { warmUp: 10 } })
    for (let i = 0; i < 9; i++) {
      agent.observe(step())
      expect(agent.update()).toMatchObject({ updates: 0, skipped: 0 })
    }
    agent.observe(step())
    expect(agent.update()).toMatchObject({ updates: 1 })
  })

  it('refuses a NaN reward and stores nothing', () => {
    using agent = make()
    expect(() => agent.observe(step({ reward: Number.NaN }))).toThrow(
      expect.objectContaining({ code: 'transition_not_finite' }),
    )
    expect(agent.size).toBe(0)
  })

  it.each([
    ['another task', { task: 'x' }, 'policy_task_mismatch'],
    ['other layers', { options: { hidden: [8] } }, 'policy_shape_mismatch'],
    ['other latents', { options: { latentsPerAction: 3 } }, 'policy_options_mismatch'],
  ] as const)('refuses a policy with %s and changes nothing', (_, changes, code) => {
    using saved = make()
    using other = make(changes)
    const before = other.save()
    expect(() => other.load(saved.save())).toThrow(expect.objectContaining({ code }))
    expect(sameBytes(other.save(), before)).toBe(true)
  })

  it('reports every problem of its setup at once', () => {
    expect(() =>
      make({ observation: boxSpace([]), action: boxSpace(['limit'], 0, 4), options: { reach: -1, pessimism: 2 } }),
    ).toThrow(/pessimism must be .* got 2.*reach must be .* got -1.*observation must have.*action must be a box of/)
  })

  it('gives all of its memory back, and may be disposed twice', () => {
    const before = core.usedBytes
    const agent = make()
    agent.dispose()
    agent.dispose()
    expect(core.usedBytes).toBe(before)
  })
})

import { type Agent, type Controller, type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { createPpo, evaluate, imitate, type Ppo, type PpoOptions, train } from '../../src/index.js'
import { setPoint } from '../toys/continuous.js'
import { levels } from '../toys/discrete.js'
import type { Toy } from '../toys/toy.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const learner = ({ environment: { observation, action } }: Toy, seed: number, options: Partial<PpoOptions> = {}): Ppo =>
  createPpo(core, { observation, action, seed, options: { rolloutSteps: 200, ...options } })

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b) / values.length

/** Steps until a goal is reached: there the rule does nothing any more. */
const FEW = 6

/** The share of choices that are the same on unseen episodes; in a box 1 less the mean distance in shares of the range. */
function agreementOf({ environment, best }: Toy, agent: Agent): number {
  const own = new Float32Array(1)
  const { kind } = environment.action
  let [sum, count] = [0, 0]
  const watched: Controller = {
    name: 'watched',
    decide(observation, out) {
      best.decide(observation, out)
      agent.decide(observation, own)
      sum += kind === 'discrete' ? Number(own[0] === out[0]) : 1 - Math.abs(own[0]! - out[0]!) / 2
      count++
    },
  }
  evaluate(watched, environment, { episodeSteps: FEW })
  return sum / count
}

describe.each([
  ['choices', levels],
  ['numbers', setPoint],
] as const)('an agent that imitates a rule, %s', (_, toyOf) => {
  it('acts like it on episodes it has not seen, and PPO goes on from there without falling', () => {
    const toy = toyOf()
    const [top, idle] = [evaluate(toy.best, toy.environment).mean, evaluate(toy.idle, toy.environment).mean]
    const wayOf = (agent: Agent): number => (evaluate(agent, toy.environment).mean - idle) / (top - idle)
    for (const seed of [1, 2, 3]) {
      using agent = learner(toy, seed)
      const { agreements } = imitate(agent, toy.best, toy.environment, { episodes: 600, seed: 100, episodeSteps: FEW })
      expect(agreements).toHaveLength(600)
      expect(mean(agreements.slice(-10))).toBeGreaterThan(mean(agreements.slice(0, 10)))
      expect(agreementOf(toy, agent)).toBeGreaterThan(0.97)
      const before = wayOf(agent)
      expect(before).toBeGreaterThan(0.9)
      train(agent, toy.environment, { episodes: 50, seed: 10_000 })
      expect(wayOf(agent)).toBeGreaterThan(before - 0.05)
    }
  })
})

describe('imitate', () => {
  it('is the same to the byte from the same seeds', () => {
    const [a, b] = [1, 1].map((seed) => {
      const toy = levels()
      using agent = learner(toy, seed)
      const report = imitate(agent, toy.best, toy.environment, { episodes: 11 })
      return [report, agent.save()]
    })
    expect(b).toEqual(a)
  })

  it('leaves the width of exploration in a box as it was', () => {
    const toy = setPoint()
    using agent = learner(toy, 1)
    const before = agent.explorationLevel
    imitate(agent, toy.best, toy.environment, { episodes: 20 })
    expect(agent.explorationLevel).toBe(before)
  })

  it('teaches the critic what the rule earns', () => {
    const toy = levels()
    using agent = learner(toy, 1, { discount: 0.5, rolloutSteps: 1000 })
    imitate(agent, toy.idle, toy.environment, { episodes: 500 })
    // Staying a distance d away pays −d for ever: −d / (1 − γ) in all.
    for (const [level, goal] of [
      [-0.5, 0.3],
      [0.3, 0.3],
      [0.3, -0.1],
    ] as const) {
      const { expectedReturn } = agent.explain(Float32Array.of(level, goal))
      expect(Math.abs(expectedReturn + 2 * Math.abs(goal - level))).toBeLessThan(0.5)
    }
  })

  it('tells each episode and how far the agent agreed', () => {
    const toy = levels()
    using agent = learner(toy, 1)
    const told: number[] = []
    const { agreements, rewards, steps } = imitate(agent, toy.best, toy.environment, {
      episodes: 3,
      onEpisode: ({ reward }, agreement) => told.push(reward, agreement),
    })
    expect(told).toEqual(rewards.flatMap((reward, i) => [reward, agreements[i]]))
    expect(steps).toBe(60)
  })

  it.each([
    ['an unknown option', { colour: 'red' } as object, /colour/],
    ['no episodes', { episodes: 0 }, /episodes must be .* got 0/],
    ['half a seed', { seed: 0.5 }, /seed must be/],
  ])('refuses %s', (_, options, message) => {
    const toy = levels()
    using agent = learner(toy, 1)
    expect(() => imitate(agent, toy.best, toy.environment, options)).toThrow(message)
    expect(agent.size).toBe(0)
  })
})

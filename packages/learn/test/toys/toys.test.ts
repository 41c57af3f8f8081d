import { type Agent, type Controller, type Core, createCore, Random, type Transition } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { createBcq, createDdpg, createDqn, createPpo, createQTable, drawAction } from '../../src/index.js'
import { dial, doubleIntegrator, integratorAtRest, setPoint } from './continuous.js'
import { arms, chain, levels } from './discrete.js'
import { acting, type Toy } from './toy.js'

// Every family with its default options on worlds whose best return is known. The defaults were chosen on seeds 101 to 108 and
// episodes other than those that judge here.

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const SEEDS = [1, 2, 3, 4, 5]
const JUDGED = 40
const FIRST_JUDGED = 1_000_000

/** Mean return of an episode on the episodes that judge. */
function judge({ environment }: Toy, controller: Controller): number {
  const action = new Float32Array(1)
  let sum = 0
  for (let episode = 0; episode < JUDGED; episode++) {
    let observation = environment.reset(FIRST_JUDGED + episode)
    controller.beginEpisode?.()
    for (let isOver = false; !isOver; ) {
      controller.decide(observation, action)
      const step = environment.step(action)
      sum += step.reward
      observation = step.observation
      isOver = step.terminated || step.truncated
    }
  }
  return sum / JUDGED
}

/** How far an agent got from doing nothing, or from chance where that is better, to the best there is: 1 is all of the way. */
function shareOfTheWay(toy: Toy, agent: Controller, seed: number): number {
  using random = new Random(core, seed, 9)
  const chance: Controller = {
    name: 'chance',
    decide: (_, out) => drawAction(toy.environment.action, random, out),
  }
  const base = Math.max(judge(toy, toy.idle), judge(toy, chance))
  return (judge(toy, agent) - base) / (judge(toy, toy.best) - base)
}

/** So many steps as `controller` acts; `onStep` sees each, `onEnd` the end of an episode. */
function live(
  { environment }: Toy,
  seed: number,
  steps: number,
  controller: Controller,
  onStep: (transition: Transition) => void,
  onEnd: () => void,
): void {
  const action = new Float32Array(1)
  for (let episode = 0, done = 0; done < steps; episode++) {
    let observation = environment.reset(10_000 * seed + episode)
    controller.beginEpisode?.()
    for (let isOver = false; !isOver; done++) {
      controller.decide(observation, action)
      const { reward, terminated, truncated, observation: nextObservation } = environment.step(action)
      onStep({ observation, action, reward, nextObservation, terminated })
      observation = nextObservation
      isOver = terminated || truncated
    }
    onEnd()
  }
}

/** The agent acts and learns, as in production. */
function learn(toy: Toy, agent: Agent, seed: number, steps: number): void {
  const exploring: Controller = { name: 'exploring', decide: (observation, out) => agent.explore(observation, out) }
  const onStep = (transition: Transition): void => {
    agent.observe(transition)
    agent.update()
  }
  live(toy, seed, steps, exploring, onStep, () => agent.endEpisode())
}

/** The agent is told what another one did. */
function keep(toy: Toy, agent: Agent, seed: number, steps: number, writer: Controller): void {
  live(
    toy,
    seed,
    steps,
    writer,
    (transition) => agent.observe(transition),
    () => {},
  )
}

type Make = (toy: Toy, seed: number) => Agent
const spacesOf = ({ environment: { observation, action } }: Toy) => ({ observation, action })
const ddpg: Make = (toy, seed) => createDdpg(core, { ...spacesOf(toy), seed })
const dqn: Make = (toy, seed) => createDqn(core, { ...spacesOf(toy), seed })
const ppo: Make = (toy, seed) => createPpo(core, { ...spacesOf(toy), seed })
const qTable: Make = (toy, seed) => createQTable(core, { ...spacesOf(toy), seed })

// Steps of each budget, no more than seeds 101 to 105 need; an episode is 20 of them, 50 of the integrator, 1 of a bandit.
const ONLINE: readonly [name: string, toy: string, steps: number, make: Make, create: () => Toy][] = [
  ['DQN', 'chain', 5000, dqn, chain],
  ['DQN', 'levels', 5000, dqn, levels],
  ['DQN', 'arms', 5000, dqn, arms],
  ['PPO', 'chain', 10_000, ppo, chain],
  ['PPO', 'levels', 20_000, ppo, levels],
  ['PPO', 'arms', 20_000, ppo, arms],
  ['Q-table', 'chain', 40_000, qTable, chain],
  ['Q-table', 'levels', 80_000, qTable, levels],
  ['Q-table', 'arms', 40_000, qTable, arms],
  ['DDPG', 'set-point', 5000, ddpg, setPoint],
  ['DDPG', 'dial', 10_000, ddpg, dial],
  ['DDPG', 'double integrator', 20_000, ddpg, doubleIntegrator],
  ['DDPG', 'double integrator at rest', 20_000, ddpg, integratorAtRest],
  ['PPO', 'set-point', 10_000, ppo, setPoint],
  ['PPO', 'dial', 20_000, ppo, dial],
  ['PPO', 'double integrator', 20_000, ppo, doubleIntegrator],
]

describe('default options', () => {
  it.each(ONLINE)(
    '%s on %s: the worst of five seeds gets nine tenths of the way in %d steps',
    (_name, _toy, steps, make, create) => {
      const shares = SEEDS.map((seed) => {
        const toy = create()
        const agent = make(toy, seed)
        learn(toy, agent, seed, steps)
        const share = shareOfTheWay(toy, agent, seed)
        agent.dispose()
        return share
      })
      expect(Math.min(...shares), `shares ${shares.map((share) => share.toFixed(3))}`).toBeGreaterThanOrEqual(0.9)
    },
    120_000,
  )

  // From a log alone: 20,000 steps, then 2,000 updates. The log is chance's; the integrator's is an operator's who does half of
  // what is right, give or take 0.5, and gets 0.95 of the way himself. From chance's log BCQ gets 0.7 to 0.99 there: it holds
  // little about the middle, where the feedback has to be fine.
  it.each([
    ['set-point', setPoint, 0],
    ['dial', dial, 0],
    ['double integrator', doubleIntegrator, 0.5],
  ] as const)(
    'BCQ on %s: from a log the worst of five seeds gets nine tenths of the way, and further than who wrote it',
    (_, create, skill) => {
      const results = SEEDS.map((seed) => {
        const toy = create()
        using random = new Random(core, seed, 8)
        using agent = createBcq(core, { ...spacesOf(toy), seed })
        const writer: Controller = {
          name: 'writer',
          beginEpisode: () => toy.best.beginEpisode?.(),
          decide(observation, out) {
            if (skill === 0) return drawAction(toy.environment.action, random, out)
            toy.best.decide(observation, out)
            const wanted = skill * out[0]! + (1 - skill) * (2 * random.uniform() - 1)
            out[0] = Math.min(1, Math.max(-1, wanted))
          },
        }
        keep(toy, agent, seed, 20_000, writer)
        agent.learn(2000)
        return [shareOfTheWay(toy, agent, seed), shareOfTheWay(toy, writer, seed)] as const
      })
      const told = `shares ${results.map(([share, writers]) => `${share.toFixed(3)} (${writers.toFixed(3)})`)}`
      expect(Math.min(...results.map(([share]) => share)), told).toBeGreaterThanOrEqual(0.9)
      expect(Math.min(...results.map(([share, writers]) => share - writers)), told).toBeGreaterThan(0)
    },
    120_000,
  )

  it('knows the optimum of the double integrator: no other feedback costs less', () => {
    const toy = doubleIntegrator()
    const best = judge(toy, toy.best)
    for (const [kp, kv] of [
      [1, 0.6],
      [1.5, 1],
      [2, 1],
      [1.5, 0.8],
    ] as const) {
      const other = acting('other', ([p, v]) => -(kp * p! + kv * v!))
      expect(judge(toy, other)).toBeLessThan(best)
    }
  })
})

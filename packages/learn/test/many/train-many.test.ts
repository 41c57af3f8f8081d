import { type Controller, type Core, createCore, type ParallelStep } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  boxSpace,
  createPpo,
  evaluateMany,
  imitateMany,
  type ManyController,
  type ManyEnvironment,
  type ManyTick,
  type Ppo,
  readPolicyFile,
  ruleOfEach,
  trainMany,
} from '../../src/index.js'
import { best, Crossing, oneSided } from './crossing.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const AGENTS = 6
const STEPS = 20
const crossing = (): Crossing => new Crossing(AGENTS)
const learner = (seed = 1, options = {}): Ppo => {
  const { observation, action, global } = crossing()
  return createPpo(core, {
    ...{ observation, action, global, partitions: AGENTS, seed },
    options: {
      ...{ hidden: [32], rolloutSteps: AGENTS * STEPS, miniBatchSize: 60, epochs: 5, discount: 0.5 },
      ...{ policyLearningRate: 3e-3, valueLearningRate: 3e-3, ...options },
    },
  })
}
const rules = (make: () => Controller): ManyController => ruleOfEach(Array.from({ length: AGENTS }, make))
const perStep = (controller: ManyController): number => evaluateMany(controller, crossing()).rewardPerStep

describe('trainMany', () => {
  it('teaches one policy what all agents should do, seed after seed', () => {
    const [top, side] = [perStep(rules(best)), perStep(rules(oneSided))]
    for (const seed of [1, 2, 3]) {
      using agent = learner(seed)
      const report = trainMany(agent, crossing(), { episodes: 120, seed: 1000 * seed })
      expect(report.steps).toBe(120 * STEPS)
      expect(report.sources).toEqual({ agent: 120 * STEPS * AGENTS, rule: 0, hold: 0 })
      expect(agent.update().updates).toBe(120 * 5 * 2) // an update an episode: 5 epochs of two mini-batches
      expect(perStep(agent)).toBeGreaterThan(side + 0.6 * (top - side))
    }
  })

  it('is the same to the byte from the same seeds', () => {
    const [a, b] = [1, 1].map((seed) => {
      using agent = learner(seed)
      trainMany(agent, crossing(), { episodes: 5 })
      return agent.save()
    })
    expect(b).toEqual(a)
  })

  it('ends when its signal says so', () => {
    const abort = new AbortController()
    using agent = learner()
    const run = (): unknown =>
      trainMany(agent, crossing(), {
        signal: abort.signal,
        onStep: ({ step }) => step === 3 && abort.abort(new Error('enough')),
      })
    expect(run).toThrow('enough')
    expect(agent.size).toBe(4 * AGENTS)
  })

  it.each([
    ['an unknown option', () => trainMany(learner(), crossing(), { colour: 'red' } as object), /colour/],
    ['no episodes', () => trainMany(learner(), crossing(), { episodes: 0 }), /episodes must be .* got 0/],
    ['no seeds', () => evaluateMany(learner(), crossing(), { seeds: [] }), /seeds/],
    [
      'more agents than partitions',
      () => trainMany(learner(), new Crossing(AGENTS + 1)),
      /each of 7 agents needs a partition/,
    ],
    [
      'an answer that is none',
      () => trainMany(learner(), answering({ rewards: [1] })),
      /rewards must be a Float32Array of 6/,
    ],
    [
      'an answer of fewer agents',
      () => trainMany(learner(), answering({ observations: new Float32Array(2) })),
      /observations/,
    ],
    ['an answer without info', () => trainMany(learner(), answering({ info: undefined })), /info must be an object/],
    ['no end', () => trainMany(learner(), answering({ truncated: undefined })), /truncated must be true or false/],
  ])('refuses %s', (_, run, message) => {
    expect(run).toThrow(message)
  })
})

/** A crossing with something wrong in what it answers. */
function answering(change: object): ManyEnvironment {
  const world = crossing()
  const { observation, action, global, agents } = world
  return {
    ...{ observation, action, global, agents },
    reset: (seed) => world.reset(seed),
    step: (actions) => ({ ...world.step(actions), ...change }),
  }
}

/** A crossing in which agent 2 is not seen in steps 5 to 7, and agent 4's reward is not measured in step 9. */
function blinking(): ManyEnvironment & { applied: Float32Array[] } {
  const world = crossing()
  const { observation, action, global, agents } = world
  const applied: Float32Array[] = []
  const dim = (step: ParallelStep): ParallelStep => {
    const moment = applied.length % STEPS
    if (moment >= 5 && moment <= 7) step.observations.fill(Number.NaN, 4, 5)
    if (moment === 10) step.rewards.fill(Number.NaN, 4, 5)
    return step
  }
  return {
    ...{ observation, action, global, agents, applied },
    reset: (seed) => world.reset(seed),
    step(actions) {
      applied.push(actions.slice())
      return dim(world.step(actions))
    },
  }
}

describe('an agent of whom something is missing', () => {
  it('is left to its rule, and what it does then is not learned from', () => {
    using agent = learner(1, { rolloutSteps: 1000 })
    const asked: number[] = []
    const rule = (i: number): Controller => ({
      name: 'rule',
      decide(_, out) {
        asked.push(i)
        out.set([2, 1])
      },
    })
    const world = blinking()
    const report = trainMany(agent, world, { episodes: 1, rule })
    expect(asked).toEqual([2, 2, 2])
    expect(report.sources).toEqual({ agent: STEPS * AGENTS - 3, rule: 3, hold: 0 })
    for (const moment of [5, 6, 7]) expect([...world.applied[moment]!.subarray(4, 6)]).toEqual([2, 1])
    expect(agent.size).toBe(STEPS * AGENTS - 4 - 1) // seen badly in steps 4 (what came of it) to 7, unpaid in step 9
    expect(report.rewards.every(Number.isFinite)).toBe(true)
  })

  it('holds what was applied last where it has no rule', () => {
    using agent = learner()
    const world = blinking()
    expect(evaluateMany(agent, world, { seeds: [1] }).sources.hold).toBe(3)
    const held = world.applied.map((actions) => [...actions.subarray(4, 6)])
    for (const moment of [5, 6, 7]) expect(held[moment]).toEqual(held[4])
  })
})

describe('an agent that is not there', () => {
  it('is not learned from until it is back, and its episode ends', () => {
    const world = crossing()
    const { observation, action, global, agents } = world
    let moment = 0
    const coming = (step: ParallelStep): ParallelStep => {
      const present = new Float64Array(AGENTS).fill(1)
      if (moment >= 5 && moment < 9) present[3] = 0
      return { ...step, info: { present } }
    }
    using agent = learner(1, { rolloutSteps: 1000 })
    trainMany(
      agent,
      {
        ...{ observation, action, global, agents },
        reset: (seed) => coming(world.reset(seed)),
        step(actions) {
          moment++
          return coming(world.step(actions))
        },
      },
      { episodes: 1 },
    )
    expect(agent.size).toBe(STEPS * AGENTS - 5) // the step that it left in, and four away
    const words = (name: string): Uint32Array => {
      const { tensors } = readPolicyFile(agent.save())
      return new Uint32Array(tensors.find((tensor) => tensor.name === `kernel.rollout.${name}`)!.bytes.slice().buffer)
    }
    const [partitions, ends] = [words('partition'), words('end')]
    const own = [...ends.keys()].filter((i) => partitions[i] === 3)
    expect(own.filter((i) => ends[i] !== 0).map((i) => own.indexOf(i))).toEqual([3, own.length - 1])
  })
})

describe('the guard of each agent', () => {
  const box = (): ManyEnvironment => {
    const step: ParallelStep = {
      ...{ observations: new Float32Array(2), globals: new Float32Array(0), rewards: new Float32Array(2), info: {} },
      truncated: false,
    }
    return {
      ...{ observation: boxSpace(['load']), action: boxSpace(['cores']), global: boxSpace([]), agents: 2 },
      reset: () => step,
      step: () => step,
    }
  }
  const applied = (wanted: number[], guard = {}): number[][] => {
    const rows: number[][] = []
    const controller: ManyController = { name: 'given', decideMany: (_, out) => out.set(wanted) }
    const onStep = ({ actions }: ManyTick): void => void rows.push([...actions])
    evaluateMany(controller, box(), { seeds: [1], episodeSteps: 3, guard, onStep })
    return rows
  }

  it('keeps actions inside their bounds', () => {
    expect(applied([7, -0.5])).toEqual(Array(3).fill([1, -0.5]))
  })

  it('limits the changes of each on its own', () => {
    const guard = { limits: { cores: { increase: { maxStep: 0.25 } } }, initialAction: [0] }
    expect(applied([1, -1], guard)).toEqual([
      [0.25, -1],
      [0.5, -1],
      [0.75, -1],
    ])
  })

  it('holds one whose action is none', () => {
    expect(applied([Number.NaN, 1])).toEqual(Array(3).fill([0, 1]))
  })
})

describe('evaluateMany', () => {
  it('says the mean over the agents, and what the worst-off earned', () => {
    const lazy: Controller = { name: 'lazy', decide: (_, out) => void out.fill(0) }
    const all = Array.from({ length: AGENTS }, best)
    const rewards: number[][] = []
    const found = evaluateMany(ruleOfEach([lazy, ...all.slice(1)]), crossing(), {
      seeds: [3, 4],
      onEpisode: (summary) => rewards.push([...summary.rewards]),
    })
    const meanOf = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length
    expect(found.rewards).toEqual(rewards.map(meanOf))
    expect(found.mean).toBeCloseTo(meanOf(found.rewards), 12)
    expect(found.worst).toBeCloseTo(meanOf(rewards.map((each) => each[0]!)), 12)
    expect(found.rewardPerStep).toBeCloseTo(found.mean / STEPS, 12)
  })
})

describe('imitateMany', () => {
  it('makes a policy that agrees with the rule on episodes it has not seen, and PPO goes on from there without falling', () => {
    const floor = perStep(rules(oneSided))
    for (const seed of [1, 2, 3]) {
      using agent = learner(seed)
      const { agreements, rewards, steps } = imitateMany(agent, oneSided, crossing(), { episodes: 30, seed: 500 })
      expect([agreements.length, rewards.length, steps]).toEqual([30, 30, 30 * STEPS])
      expect(agreements[0]).toBeLessThan(0.8)
      expect(agreements.at(-1)).toBeGreaterThan(0.95)
      let reached = perStep(agent)
      expect(reached).toBeGreaterThan(floor - 0.03)
      for (let round = 0; round < 5; round++) {
        trainMany(agent, crossing(), { episodes: 24, seed: 2000 + 24 * round })
        reached = perStep(agent)
        expect(reached).toBeGreaterThan(floor - 0.03)
      }
    }
  })
})

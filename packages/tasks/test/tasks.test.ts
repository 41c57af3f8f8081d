// What every task with a pool promises to meta learning.
import { type Core, createCore, type Space, type Step } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { CONTROL_TASKS, findTask, type TaskEnvironment } from '../src/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

/** An action for each step, all over the space: the same ones every time. */
function wander({ kind, high }: Space, step: number): Float32Array {
  if (kind === 'discrete') return Float32Array.of((step * 7) % (high[0]! + 1))
  return Float32Array.from(high, (_, i) => ((step * (37 + 12 * i)) % 21) / 10 - 1)
}

const numbersOf = (step: Step): number[] => [
  ...step.observation,
  step.reward,
  Number(step.truncated),
  ...Object.values(step.info),
]

function play(world: TaskEnvironment, from: number, to: number): number[][] {
  const told: number[][] = []
  for (let i = from; i < to; i++) told.push(numbersOf(world.step(wander(world.action, i))))
  return told
}

describe.each(CONTROL_TASKS)('%s', (name) => {
  const task = findTask(name)

  it('bears the name it is registered under and has spaces as its worlds have', () => {
    const world = task.environment(core, task.pool(core, 3, 1)[0])
    expect(task.name).toBe(name)
    expect([world.observation, world.action]).toEqual([task.observation, task.action])
    expect(world.reset(1)).toHaveLength(task.observation.names.length)
    world.dispose()
  })

  it('makes each pair from its number alone: pools over disjoint numbers share none', () => {
    const [some, others] = [task.pool(core, 0, 40), task.pool(core, 40, 40)]
    expect(task.pool(core, 30, 20)).toEqual([...some.slice(30), ...others.slice(0, 10)])
    const kinds = new Set([...some, ...others].map((spec) => JSON.stringify(spec)))
    expect(kinds.size).toBe(80)
  })

  it('has pairs that survive JSON, as they must on their way to a worker', () => {
    const [spec] = task.pool(core, 5, 1)
    const [here, there] = [spec, JSON.parse(JSON.stringify(spec))].map((s) => task.environment(core, s))
    expect(here!.reset(9)).toEqual(there!.reset(9))
    expect(play(here!, 0, 20)).toEqual(play(there!, 0, 20))
    here!.dispose()
    there!.dispose()
  })

  it('tells the same story for the same seed, another for another', () => {
    const world = task.environment(core, task.pool(core, 2, 1)[0])
    const story = (seed: number): number[][] => [[...world.reset(seed)], ...play(world, 0, 30)]
    const first = story(1)
    expect(story(2)).not.toEqual(first)
    expect(story(1)).toEqual(first)
    world.dispose()
  })

  it('continues from a saved moment elsewhere, to the byte', () => {
    const [spec] = task.pool(core, 7, 1)
    const [first, second] = [task.environment(core, spec), task.environment(core, spec)]
    second.reset(99)
    for (const steps of [0, 1, 13, 40]) {
      first.reset(4)
      play(first, 0, steps)
      second.load(first.save())
      expect(play(second, steps, steps + 20)).toEqual(play(first, steps, steps + 20))
      expect(second.save()).toEqual(first.save())
    }
    first.dispose()
    second.dispose()
  })

  it('loads a state out of a Buffer at any offset', () => {
    const [spec] = task.pool(core, 7, 1)
    const [first, second] = [task.environment(core, spec), task.environment(core, spec)]
    first.reset(4)
    play(first, 0, 5)
    const state = first.save()
    for (let offset = 0; offset < 16; offset++) {
      const buffer = Buffer.from(new ArrayBuffer(state.length + 16), offset, state.length)
      buffer.set(state)
      second.reset(99)
      second.load(buffer)
      expect(second.save()).toEqual(state)
    }
    first.dispose()
    second.dispose()
  })

  it('refuses a state that is cut, changing nothing', () => {
    const world = task.environment(core, task.pool(core, 1, 1)[0])
    world.reset(1)
    play(world, 0, 5)
    const state = world.save()
    for (const length of [0, 1, 7, 8, state.length >> 1, state.length - 8, state.length - 1]) {
      expect(() => world.load(state.slice(0, length))).toThrow(
        expect.objectContaining({ code: 'simulator_state_invalid' }),
      )
    }
    expect(world.save()).toEqual(state)
    world.dispose()
  })

  it('refuses an action that is none, changing nothing', () => {
    const world = task.environment(core, task.pool(core, 1, 1)[0])
    world.reset(1)
    const before = world.save()
    const fits = wander(task.action, 0)
    const bad = [Float32Array.from([...fits, 0]), new Float32Array(0), fits.map(() => Number.NaN)]
    if (task.action.kind === 'discrete') bad.push(Float32Array.of(-1), Float32Array.of(0.5), Float32Array.of(99))
    for (const action of bad) {
      expect(() => world.step(action)).toThrow(expect.objectContaining({ name: 'ConfigError' }))
    }
    expect(world.save()).toEqual(before)
    world.dispose()
  })

  it('refuses a pool of nothing and a spec that is none', () => {
    for (const [seed, count] of [
      [-1, 3],
      [0.5, 3],
      [0, 0],
      [0, Number.NaN],
    ] as const) {
      expect(() => task.pool(core, seed, count)).toThrow(expect.objectContaining({ code: 'config_invalid' }))
    }
    for (const spec of [undefined, {}, []]) {
      expect(() => task.environment(core, spec)).toThrow(expect.objectContaining({ code: 'config_invalid' }))
    }
  })

  it('cuts an episode after its steps, with finite numbers to the end, and never terminates', () => {
    for (const spec of task.pool(core, 20, 4)) {
      const world = task.environment(core, spec)
      world.reset(3)
      for (let i = 1; i <= task.episodeSteps; i++) {
        const step = world.step(wander(task.action, i))
        expect([step.terminated, step.truncated]).toEqual([false, i === task.episodeSteps])
        expect(numbersOf(step).every(Number.isFinite)).toBe(true)
      }
      world.dispose()
    }
  })

  it('has true parameters of about unit size that tell pairs apart', () => {
    const parameters = task.pool(core, 0, 50).map((spec) => [...task.parameters!(core, spec)])
    expect(parameters.flat().every((x) => Math.abs(x) <= 1.2)).toBe(true)
    expect(new Set(parameters.map(String)).size).toBe(50)
    const spread = parameters[0]!.map((_, i) => new Set(parameters.map((p) => p[i])).size)
    expect(Math.min(...spread)).toBeGreaterThan(1)
  })

  it('has a rule that earns more than wandering about', () => {
    const totals = task.pool(core, 0, 8).map((spec) => {
      const world = task.environment(core, spec)
      const rule = task.fallback(core, world)
      const action = new Float32Array(task.action.names.length)
      let [ruled, wandered] = [0, 0]
      let observation = world.reset(1)
      rule.beginEpisode?.()
      for (let i = 0; i < task.episodeSteps; i++) {
        rule.decide(observation, action)
        const step = world.step(action)
        observation = step.observation
        ruled += step.reward
      }
      world.reset(1)
      for (let i = 0; i < task.episodeSteps; i++) wandered += world.step(wander(task.action, i)).reward
      world.dispose()
      return [ruled, wandered] as const
    })
    const sum = (which: 0 | 1): number => totals.reduce((total, pair) => total + pair[which], 0)
    expect(sum(0)).toBeGreaterThan(sum(1))
  })
})

it('names the tasks there are when asked for one that is not', () => {
  expect(() => findTask('cooking')).toThrow(/autoscaling-adaptation/)
  expect(() => findTask('toString')).toThrow(expect.objectContaining({ code: 'task_unknown' }))
})

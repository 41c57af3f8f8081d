import { type ConfigError, type Core, createCore } from '@trimtab/core'
import { discreteSpace } from '@trimtab/learn'
import { beforeAll, describe, expect, it } from 'vitest'
import { defineTask, findTask, loadTask, TASKS, taskOf } from '../src/index.js'
import { toyDefinition } from './toy-task.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

/** What a definition, changed, is refused with. */
function refusal(change: object): string {
  try {
    defineTask({ ...toyDefinition(), ...change })
  } catch (error) {
    expect(error).toMatchObject({ name: 'ConfigError', code: 'config_invalid' })
    return (error as ConfigError).message
  }
  throw new Error('it was not refused')
}

describe('defineTask', () => {
  it('makes pools and the fallback of what it is given, and completes the labels', () => {
    const task = defineTask(toyDefinition())
    expect(task.pool(core, 3, 3)).toEqual([{ target: 0.6 }, { target: 0.8 }, { target: 0 }])
    expect(task.fallback(core, task.environment(core, { target: 0 })).name).toBe('still')
    expect(task.labels).toEqual({
      task: 'line-walk',
      spec: 'pair',
      reward: 'reward an episode',
      violation: 'violations',
    })
    expect(Object.isFrozen(task)).toBe(true)
  })

  it.each([
    ['an unknown key', { episodeStep: 5 }, /task\.episodeStep is no option/],
    [
      'an unknown key of safety',
      { safety: { isViolation: (): boolean => false, safe: [1] } },
      /safety\.safe is no option/,
    ],
    ['an unknown label', { labels: { title: 'x' } }, /labels\.title is no option/],
    ['another kind', { kind: 'other' }, /kind must be control or supervised, got other/],
    ['a name that makes no file', { name: '../x' }, /name must be lower case with dashes, got \.\.\/x/],
    ['no generator', { generate: undefined }, /generate must be a function, got undefined/],
    ['no worlds', { environment: 5 }, /environment must be a function, got 5/],
    ['half a space', { observation: { names: ['a'], kind: 'box' } }, /observation must be a space/],
    [
      'an action of other units',
      { action: { ...toyDefinition().action, high: Float64Array.of(20) } },
      /scale it inside/,
    ],
    ['no steps', { episodeSteps: 0 }, /episodeSteps must be a whole number >= 1, got 0/],
    ['no rule', { rules: [] }, /rules must be a list of at least one/],
    ['a rule that makes nothing', { rules: [{ name: 'a' }] }, /rules\[0\]\.create must be a function/],
    ['two rules of one name', { rules: [1, 2].map(() => toyDefinition().rules[0]) }, /rules\[1\]\.name still is taken/],
    ['an unknown algorithm', { baseLearner: { algorithm: 'sarsa' } }, /one of ddpg, dqn, ppo, got sarsa/],
    [
      'an algorithm of other actions',
      { action: discreteSpace('level', 3), safety: undefined },
      /ddpg needs a box action/,
    ],
    [
      'directions of other size',
      { safety: { isViolation: (): boolean => false, safeDirection: [1, 1] } },
      /for each of 1 coord/,
    ],
    ['no reading of violations', { safety: {} }, /safety\.isViolation must be a function/],
  ])('refuses %s', (_, change, message) => {
    expect(refusal(change)).toMatch(message)
  })

  it('names every problem at once', () => {
    const message = refusal({ episodeSteps: -1, rules: [], generate: undefined, colour: 'red' })
    for (const part of ['episodeSteps', 'rules', 'generate', 'colour']) expect(message).toContain(part)
  })

  it('refuses what is no definition at all', () => {
    for (const value of [undefined, null, {}, []])
      expect(() => defineTask(value as never)).toThrow(expect.objectContaining({ code: 'config_invalid' }))
  })
})

describe('tasks from outside', () => {
  it('are what a module exports as task, or by default', () => {
    const task = defineTask(toyDefinition())
    expect(taskOf({ task }, 'a.js').name).toBe('line-walk')
    expect(taskOf({ default: toyDefinition() }, 'a.js').pool(core, 0, 1)).toEqual([{ target: 0 }])
  })

  it('are checked anew', () => {
    expect(() => taskOf({ task: { ...toyDefinition(), rules: [] } }, 'a.js')).toThrow(/rules must be a list/)
    expect(() => taskOf({}, 'a.js')).toThrow(/a\.js exports no task: export const task = defineTask/)
  })

  it('are named by a URL, those from here by their name', async () => {
    expect(await loadTask('autoscaling')).toBe(TASKS.autoscaling)
    await expect(loadTask('file:///nowhere/task.js')).rejects.toThrow(
      expect.objectContaining({ code: 'task_unreadable', message: expect.stringContaining('file:///nowhere/task.js') }),
    )
    await expect(loadTask('cooking')).rejects.toThrow(expect.objectContaining({ code: 'task_unknown' }))
  })
})

it('tells a supervised task from one in which something acts', () => {
  expect(TASKS.rightsizing!.kind).toBe('supervised')
  expect(() => findTask('rightsizing')).toThrow(expect.objectContaining({ code: 'task_not_control' }))
})

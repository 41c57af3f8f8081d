import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { type CompareOptions, type Comparison, compare, controllersOf, runTrial } from '../../src/index.js'
import { levelTask, OFF } from '../toy-task.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const SMALL: CompareOptions = { pairs: 2, seeds: 2, episodes: 10 }
const run = (task: ReturnType<typeof levelTask>, options: CompareOptions = SMALL): Promise<Comparison> =>
  compare(task, options, { run: async (spec) => runTrial(core, task, spec) })

describe('compare', () => {
  let report: Comparison
  beforeAll(async () => {
    report = await run(levelTask(OFF))
  })

  it('puts every rule and the learner through the same pairs and seeds', () => {
    expect(report.controllers.map(({ name }) => name)).toEqual(['proportional', 'still', 'trimtab', 'scratch'])
    expect(report.results).toHaveLength(2 * 2 * 4)
    expect(report.settings).toMatchObject({ task: 'level', pairs: [1, 2], seeds: [1, 2], world: 'simulation' })
  })

  it('sums up with the spread over seeds, violations apart from reward, and the worst run beside the fallback', () => {
    const [rule, still, ours] = report.controllers
    expect(rule!.worst).toMatchObject({ gain: 0 })
    expect(still!.reward.mean).toBeLessThan(rule!.reward.mean)
    expect(still!.worst!.gain).toBeLessThan(0)
    expect(ours!.ruleEpisodes!.mean).toBeGreaterThanOrEqual(6) // an envelope begins with them
    for (const { reward, violationPercent, learningViolationPercent } of report.controllers) {
      expect(reward.deviation).toBeGreaterThanOrEqual(0)
      for (const percent of [violationPercent!, learningViolationPercent!])
        expect(percent.mean >= 0 && percent.mean <= 100).toBe(true)
    }
    expect(report.findings).toHaveLength(2)
    expect(report.findings[0]).toContain('beside proportional rule; in the worst run')
  })

  it('is the same to the byte when it runs again', async () => {
    expect(JSON.stringify(await run(levelTask(OFF)))).toBe(JSON.stringify(report))
  })
})

it('runs a task without violations by reward alone, its learner without an envelope', async () => {
  const task = levelTask()
  expect(controllersOf(task)).toEqual(['proportional', 'still', 'scratch'])
  const { controllers } = await run(task, { ...SMALL, pairs: 1, seeds: 1 })
  expect(controllers.every(({ violationPercent }) => violationPercent === undefined)).toBe(true)
})

it('never lets the guard’s bounds be left, whoever acts', () => {
  const task = levelTask(OFF)
  for (const controller of controllersOf(task)) {
    const spec = { task: 'level', pair: 1, seed: 1, controller, episodes: 8 }
    let ticks = 0
    runTrial(core, task, spec, ({ action: [push] }) => {
      ticks++
      expect(push! >= -1 && push! <= 1).toBe(true)
    })
    expect(ticks).toBe(80)
  }
})

it.each([
  [{ controllers: ['magic'] }, /no controller magic in level: proportional, still, scratch/],
  [{ controllers: ['trimtab'] }, /trimtab needs a task that says what a violation is/],
  [{ controllers: [] }, /name controllers/],
  [{ pairs: 0, seeds: 0.5 }, /pairs must be a whole number >= 1, got 0; seeds must be a whole number >= 1, got 0\.5/],
])('refuses %j', async (options, message) => {
  await expect(run(levelTask(), options)).rejects.toThrow(message)
})

import { createCore } from '@trimtab/core'
import { readPretrained } from '@trimtab/learn'
import { findTask } from '@trimtab/tasks'
import { pretrainedAutoscaling } from '@trimtab/tasks/pretrained'
import { describe, expect, it } from 'vitest'
import { runTrial } from '../src/autoscale/trial.js'

describe('the pretrained model that ships', () => {
  it('is of the task that the command runs, small, and taught by no application with a number below 10,000', () => {
    const bytes = pretrainedAutoscaling()
    const { header, pool } = readPretrained(bytes)
    const { observation, action } = findTask('autoscaling')
    expect(bytes.length).toBeLessThan(1_000_000)
    expect([header.task, header.observation, header.action]).toEqual(['autoscaling', observation, action])
    expect(pool.every(({ name }) => Number(name.split('-').at(-1)) >= 10_000)).toBe(true)
  })

  it('earns more on new applications after two episodes of the rule than the same agent without it, and breaks the SLO no more often', async () => {
    const core = await createCore()
    const judged = (['pretrained', 'trimtab'] as const).map((controller) =>
      [31, 32, 33].map((appSeed) => runTrial(core, { appSeed, seed: 1, controller, episodes: 6, sloFactor: 2 }).judged),
    )
    const [ours, plain] = judged.map((all) => ({
      reward: all.reduce((sum, { reward }) => sum + reward, 0) / all.length,
      violations: all.reduce((sum, { violationPercent }) => sum + violationPercent, 0) / all.length,
    }))
    expect(ours!.reward).toBeGreaterThan(plain!.reward)
    expect(ours!.violations).toBeLessThanOrEqual(plain!.violations)
  })
})

import { createCore, readSafetensors, writeSafetensors } from '@trimtab/core'
import { readPretrained } from '@trimtab/learn'
import { findTask } from '@trimtab/tasks'
import { pretrainedAutoscaling } from '@trimtab/tasks/pretrained'
import { describe, expect, it } from 'vitest'
import { runAutoscalerTrial } from '../../src/index.js'

describe('the pretrained model that ships', () => {
  it('is of the task that the command runs, small, and taught by no application with a number below 10,000', () => {
    const bytes = pretrainedAutoscaling()
    const { header, pool } = readPretrained(bytes)
    const { observation, action } = findTask('autoscaling')
    expect(bytes.length).toBeLessThan(1_000_000)
    expect([header.task, header.observation, header.action]).toEqual(['autoscaling', observation, action])
    expect(pool.every(({ name }) => Number(name.split('-').at(-1)) >= 10_000)).toBe(true)
  })

  it('is refused when a number that it learned is none', () => {
    const { tensors, metadata } = readSafetensors(pretrainedAutoscaling())
    const name = [...tensors.keys()].find((key) => key.startsWith('learned.') && tensors.get(key)!.dtype === 'F32')!
    new DataView(tensors.get(name)!.bytes.buffer, tensors.get(name)!.bytes.byteOffset).setFloat32(0, Number.NaN, true)
    const damaged = writeSafetensors([...tensors.values()], Object.fromEntries(metadata))
    expect(() => readPretrained(damaged)).toThrow(
      expect.objectContaining({
        code: 'tensor_not_finite',
        message: expect.stringContaining(`"${name}" holds NaN at 0`),
      }),
    )
  })

  it('earns more on a new application after two episodes of the rule than the same agent that no other has taught', async () => {
    const core = await createCore()
    const judge = (controller: 'pretrained' | 'trimtab') =>
      runAutoscalerTrial(core, { appSeed: 31, seed: 1, controller, episodes: 12, sloFactor: 2 })
    const [ours, plain] = [judge('pretrained'), judge('trimtab')]
    expect(ours.ruleEpisodes).toBe(2)
    expect(ours.judged.reward).toBeGreaterThan(plain.judged.reward)
  })
})

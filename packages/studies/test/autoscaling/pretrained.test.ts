import { readSafetensors, writeSafetensors } from '@trimtab/core'
import { readPretrained } from '@trimtab/learn'
import { findTask } from '@trimtab/tasks'
import { pretrainedAutoscaling } from '@trimtab/tasks/pretrained'
import { describe, expect, it } from 'vitest'

describe('the pretrained model that ships', () => {
  it('is of the task, small, and taught by no application with a number below 10,000', () => {
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
})

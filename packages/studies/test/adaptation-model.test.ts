import { readSafetensors, writeSafetensors } from '@trimtab/core'
import { metaPresets, readPretrained } from '@trimtab/learn'
import { findTask } from '@trimtab/tasks'
import { expect, it } from 'vitest'
import { taughtAutoscaling } from '../../../test/taught.js'
import { pretrain } from '../src/index.js'

it('a pretrained model is refused when a number that it learned is none', async () => {
  const { tensors, metadata } = readSafetensors(await taughtAutoscaling())
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

it.each([0, 3, 4.5, Number.NaN])('a pool of %d pairs is refused before anything is learned', async (pairs) => {
  const setup = { task: 'autoscaling', first: 1, pairs, rounds: 1, meta: metaPresets.set, seed: 1 }
  await expect(pretrain(findTask('autoscaling'), setup)).rejects.toMatchObject({
    code: 'config_invalid',
    message: `pairs must be a whole number of at least 4, got ${pairs}`,
  })
})

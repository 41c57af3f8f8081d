import { readSafetensors, writeSafetensors } from '@trimtab/core'
import { readPretrained } from '@trimtab/learn'
import { expect, it } from 'vitest'
import { taughtAutoscaling } from '../../../test/taught.js'

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

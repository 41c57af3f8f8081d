import type { StoredTensor } from '@trimtab/core'
import { ConfigError, FormatError, floatTensor, type Tensor } from '@trimtab/core'

export const addPrefix = (tensors: readonly Tensor[], prefix: string): Tensor[] =>
  tensors.map((tensor) => ({ ...tensor, name: prefix + tensor.name }))

/** Those whose names begin with the prefix, without it. */
export const withPrefix = (tensors: readonly Tensor[], prefix: string): Tensor[] =>
  tensors
    .filter(({ name }) => name.startsWith(prefix))
    .map((tensor) => ({ ...tensor, name: tensor.name.slice(prefix.length) }))

/**
 * The mean of what several shards learned, tensor by tensor, summed in f64 in the order of the shards. What is no f32 (step
 * counts) is the first shard's.
 * @throws {ConfigError} `size_mismatch` (shards of different shape)
 */
export function averageTensors(shards: readonly (readonly Tensor[])[]): Tensor[] {
  return shards[0]!.map((first) => {
    if (first.dtype !== 'F32') return first
    const all = shards.map((tensors) => {
      const one = tensors.find(({ name }) => name === first.name)
      if (one?.bytes.byteLength !== first.bytes.byteLength) {
        throw new ConfigError('size_mismatch', `shards differ in tensor "${first.name}": build them from one setup`)
      }
      return new Float32Array(Uint8Array.from(one.bytes).buffer)
    })
    const out = new Float32Array(all[0]!.length)
    for (let i = 0; i < out.length; i++) {
      let sum = 0
      for (const values of all) sum += values[i]!
      out[i] = sum / all.length
    }
    return floatTensor(first.name, first.shape, out)
  })
}

/** The first number of a tensor that is none and where it stands, `NaN at 3`; nothing where all are finite. */
export function notFinite({ dtype, bytes }: Pick<Tensor, 'dtype' | 'bytes'>): string | undefined {
  if (dtype !== 'F32' && dtype !== 'F64') return undefined
  const { buffer } = Uint8Array.from(bytes)
  const values = dtype === 'F32' ? new Float32Array(buffer) : new Float64Array(buffer)
  const at = values.findIndex((value) => !Number.isFinite(value))
  return at < 0 ? undefined : `${values[at]} at ${at}`
}

/** A file's tensors as the core reads them. @throws {FormatError} `tensor_mismatch` (a type nothing here has), `tensor_not_finite` */
export const coreTensors = (stored: ReadonlyMap<string, StoredTensor>): Tensor[] =>
  [...stored.values()].map(({ name, dtype, shape, bytes }) => {
    if (dtype !== 'F32' && dtype !== 'F64' && dtype !== 'U32' && dtype !== 'U8') {
      throw new FormatError('tensor_mismatch', `tensor "${name}" is ${dtype}; here are F32, F64, U32 and U8 only`)
    }
    const found = notFinite({ dtype, bytes })
    if (found !== undefined)
      throw new FormatError(
        'tensor_not_finite',
        `tensor "${name}" holds ${found}: the file is damaged, take another copy`,
      )
    return { name, dtype, shape, bytes }
  })

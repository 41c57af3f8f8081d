// Prints, as JSON, hashes of a batch of embeddings without threads and on two of the runtime's own, and why these were not used.
import { createCore, Random } from '@trimtab/core'
import { ContextEncoder } from '@trimtab/core/internal'
import { EncoderThreads } from '@trimtab/node'

const ENCODER = {
  ...{ kind: 'gru', inputSize: 16, hiddenSize: 40, dense: [32], learningRate: 0, seed: 1 },
  ...{ maxSequences: 20, maxSteps: 50 },
}

async function embed(core) {
  const random = new Random(core, 1)
  const { inputSize, maxSequences: M, maxSteps: T } = ENCODER
  const context = () => ({
    steps: Float32Array.from({ length: M * T * inputSize }, () => random.normal()),
    lengths: Int32Array.from({ length: M }, (_, i) => T - i),
  })
  const contexts = [context(), context(), context()]
  const encoder = new ContextEncoder(core, ENCODER)
  const z = new Float32Array(contexts.length * encoder.embeddingSize)
  await encoder.encodeMany(contexts, z)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', z))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const threads = new EncoderThreads({ size: 2 })
const [alone, onThreads] = [await embed(await createCore()), await embed(await createCore({ threads }))]
console.log(JSON.stringify({ alone, onThreads, unused: threads.unused }))
await threads.dispose()

// Embeddings by AWARE's encoder on two threads against one, by the wall clock: what threads save is time, not work.
import { createCore } from '@trimtab/core'
import { ContextEncoder } from '@trimtab/core/internal'
import { measure, median, speedUp } from '../harness.mjs'
import { AWARE, contextOf } from './aware.mjs'

/** Applications of a call. */
const BATCHES = [1, 4]

/** What embeds a batch into z, and the number that it comes to. */
function callOf(core, contexts) {
  const encoder = new ContextEncoder(core, AWARE)
  const z = new Float32Array(contexts.length * encoder.embeddingSize)
  const embed = async () => {
    await encoder.encodeMany(contexts, z)
    return z[0]
  }
  return { z, embed, dispose: () => encoder.dispose() }
}

/** @param threads  two of the host's, given up at the end. @param where  what they are called */
export async function threadsRows(core, threads, where) {
  const threaded = await createCore({ threads })
  const rows = []
  for (const count of BATCHES) {
    const contexts = Array(count).fill(contextOf(core))
    const [two, one] = [callOf(threaded, contexts), callOf(core, contexts)]
    await Promise.all([two.embed(), one.embed()])
    if (!two.z.every((value, i) => Object.is(value, one.z[i]))) throw new Error('two threads have other bits than one')
    const times = await measure({ two: two.embed, one: one.embed }, { rounds: 9 })
    rows.push({
      name: `${count} of AWARE's embeddings on two ${where}, against one`,
      ours: median(times.two) * 1e3,
      peer: median(times.one) * 1e3,
      ratio: speedUp(times.two, times.one),
      unit: 'ms',
    })
    two.dispose()
    one.dispose()
  }
  if (threads.unused !== undefined) throw new Error(`the threads were given up: ${threads.unused}`)
  await threads.dispose()
  return rows
}

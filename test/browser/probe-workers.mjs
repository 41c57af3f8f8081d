// What becomes of a batch of embeddings on two Web Workers, and where these do not work.
import { createCore } from '@trimtab/core'
import { EncoderWorkers } from '@trimtab/core/threads'
import { embed } from '../runtimes/embed.mjs'

/** @param before  a batch is done on the workers before the two that count */
async function embedOn(script, during, before = false) {
  const warnings = []
  const logger = { debug() {}, info() {}, warn: (message) => warnings.push(message), error() {} }
  const workers = []
  const worker = () => {
    workers.push(new Worker(script, { type: 'module' }))
    return workers.at(-1)
  }
  await using threads = new EncoderWorkers({ worker, size: 2, logger })
  const core = await createCore({ threads })
  if (before) await embed(core)
  const answers = [embed(core)]
  await during?.(threads)
  answers.push(embed(core))
  return { bits: await Promise.all(answers), workers: workers.length, unused: threads.unused, warnings }
}

/** By what is done: the bits of two batches, how many workers were started, why they are not used any more, what was said. */
export async function probeWorkers() {
  const cases = {
    working: embedOn('/encoder-worker.js'),
    disposed: embedOn('/encoder-worker.js', (threads) => threads.dispose()),
    disposedLater: embedOn('/encoder-worker.js', (threads) => threads.dispose(), true),
    missing: embedOn('/nobody.js'),
    throwing: embedOn('/throwing.js'),
    silent: embedOn('/silent.js'),
  }
  const found = { isIsolated: crossOriginIsolated, alone: await embed(await createCore()) }
  for (const [name, answer] of Object.entries(cases)) found[name] = await answer
  return found
}

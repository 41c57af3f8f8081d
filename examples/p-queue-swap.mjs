// Usage: node examples/p-queue-swap.mjs
// A program that calls a language model through p-queue, and the same with the scheduler in its place: one line differs,
// and each call says what it asks. The model is a stand-in that takes a moment a token, in virtual time.
import { createServeCore, LengthPredictor, Scheduler } from '@trimtab/serve'
import { defaultLengthWeights } from '@trimtab/serve/weights'
import PQueue from 'p-queue'

const CALLS = [
  { prompt: 'Write a long essay on the history of sailing, with sources.', tokens: 1400 },
  { prompt: 'Is bread older than beer? Answer yes or no.', tokens: 3 },
  { prompt: 'Write a Python program that parses CSV, with tests and comments.', tokens: 900 },
  { prompt: 'Translate "good morning" to French.', tokens: 6 },
  { prompt: 'In one word: what is the capital of Peru?', tokens: 2 },
  { prompt: 'Explain step by step how a steam engine works.', tokens: 600 },
]

/** @returns tokens of others that were answered before a call's own, on average */
async function meanWait(queue) {
  let answered = 0
  let waited = 0
  const complete = (tokens) => {
    waited += answered
    answered += tokens
  }
  queue.pause()
  const answers = CALLS.map(({ prompt, tokens }) => queue.add(() => complete(tokens), { model: 'mine', prompt }))
  queue.start()
  await Promise.all(answers)
  await queue.onIdle()
  return Math.round(waited / CALLS.length)
}

const core = await createServeCore()
const estimator = LengthPredictor.load(core, defaultLengthWeights())
console.log(`p-queue: ${await meanWait(new PQueue({ concurrency: 1 }))} tokens of others first`)
console.log(`scheduler: ${await meanWait(new Scheduler({ core, concurrency: 1, estimator }))} tokens of others first`)

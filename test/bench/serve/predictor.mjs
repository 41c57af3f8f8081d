// A prediction of an answer's length, and learning from one, by the shipped weights: prompts of 320 characters made of words
// that English has, all different, so that n-grams come from all over the table. In CPU time.
import { Random } from '@trimtab/core'
import { CachedPredictor, createServeCore, LengthPredictor, SemanticCache } from '@trimtab/serve'
import { defaultLengthWeights } from '@trimtab/serve/weights'
import { measure, median } from '../harness.mjs'

const PROMPTS = 512
const CHARACTERS = 320
const WORDS =
  'write a short story about the city that never sleeps and explain how to sort list of numbers in python using function with example code please describe three reasons why people like music generate summary for following text you are given what is difference between make plan can question answer one sentence table'.split(
    ' ',
  )

function prompts(random) {
  return Array.from({ length: PROMPTS }, () => {
    let text = ''
    while (text.length < CHARACTERS) {
      const word = WORDS[random.integer(WORDS.length)]
      text += `${random.integer(3) === 0 ? word + random.integer(50).toString(36) : word}${random.integer(12) === 0 ? '. ' : ' '}`
    }
    return text.slice(0, CHARACTERS)
  })
}

/** Rows of `npm run bench serve`. */
export async function predictorRows() {
  const core = await createServeCore()
  const random = new Random(core, 1)
  const requests = prompts(random).map((prompt) => ({ model: 'gpt-4-0613', prompt }))
  random.dispose()
  const predictor = LengthPredictor.load(core, defaultLengthWeights())
  const { predict } = await measure(
    { predict: (i) => predictor.predict(requests[i % PROMPTS]).tokens },
    { clock: 'cpu', batchMs: 40, warmUpMs: 400 },
  )
  // Everything on: what similar prompts took is looked up first, among as many as a cache holds.
  const cache = new SemanticCache(core)
  const { capacity } = cache
  for (let i = 0; cache.size < capacity; i++) cache.learn('gpt-4-0613', `${requests[i % PROMPTS].prompt} ${i}`, 100 + i)
  const cached = new CachedPredictor(cache, predictor)
  const { everything } = await measure(
    { everything: (i) => cached.predict(requests[(7 * i) % PROMPTS]).tokens },
    { clock: 'cpu', batchMs: 40, warmUpMs: 400 },
  )
  cache.dispose()
  const { learn } = await measure(
    {
      learn: (i) => {
        predictor.observe(requests[i % PROMPTS], 100 + (i % 400))
        return i
      },
    },
    { clock: 'cpu', batchMs: 40, warmUpMs: 400 },
  )
  predictor.dispose()
  return [
    {
      name: 'LengthPredictor.predict, a prompt of 320 characters',
      ours: median(predict) * 1e6,
      unit: 'µs',
      target: { ours: 3 },
    },
    {
      name: 'CachedPredictor.predict, the same, 1,024 prompts in the cache',
      ours: median(everything) * 1e6,
      unit: 'µs',
      target: { ours: 15 },
    },
    { name: 'LengthPredictor.observe, the same', ours: median(learn) * 1e6, unit: 'µs' },
  ]
}

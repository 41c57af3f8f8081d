// Usage: deno run --allow-net examples/deno-serve.mjs     (in a project of your own: deno add npm:trimtab)
// A service of Deno that puts prompts in the order in which they should be answered, the shortest expected answer first. Here it asks itself.
import { createServeCore, LengthPredictor } from 'trimtab/serve'
import { defaultLengthWeights } from 'trimtab/serve/weights'

const predictor = LengthPredictor.load(await createServeCore(), defaultLengthWeights())
const tokensOf = (prompt) => predictor.predict({ model: 'mine', prompt }).tokens

const server = Deno.serve({ hostname: '127.0.0.1', port: 0, onListen: () => {} }, async (request) => {
  const prompts = await request.json()
  return Response.json(prompts.sort((a, b) => tokensOf(a) - tokensOf(b)))
})

const body = JSON.stringify([
  'Write an essay on the history of sailing.',
  'Is bread older than beer? Answer yes or no.',
])
const response = await fetch(`http://127.0.0.1:${server.addr.port}`, { method: 'POST', body })
for (const prompt of await response.json()) console.log(`next: ${prompt}`)
await server.shutdown()

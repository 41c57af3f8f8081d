// Usage: npm install && npx next dev; curl -d '{"prompt":"Is bread older than beer? Answer yes or no."}' localhost:3000/api/length
// A route of Next: POST a prompt, get how many tokens its answer is expected to have. Good to order requests by; of a model that the predictor has
// not watched it knows little more than that.
import { createServeCore, LengthPredictor } from 'trimtab/serve'
import { defaultLengthWeights } from 'trimtab/serve/weights'

const open = async () => LengthPredictor.load(await createServeCore(), defaultLengthWeights())
let opened // by the first request

export async function POST(request) {
  const { model = 'mine', prompt } = await request.json().catch(() => ({}))
  if (typeof prompt !== 'string') return Response.json({ error: 'POST {"prompt": "…"}' }, { status: 400 })
  opened ??= open()
  return Response.json({ tokens: Math.round((await opened).predict({ model, prompt }).tokens) })
}

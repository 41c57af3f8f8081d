// Usage: node examples/express-gateway.mjs
// Middleware for Express that lets short answers go first. The model is a stand-in that says the prompt again, so that the example needs
// nothing else; `express` is what any Express application has.
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { createServeCore, LengthPredictor, Scheduler } from '@trimtab/serve'
import { defaultLengthWeights } from '@trimtab/serve/weights'
import express from 'express'

/** Holds a request until it is its turn; its place is free again when the response has ended, or its client has left. */
const shortestFirst = (scheduler) => async (request, response, next) => {
  const { model, messages, max_tokens: maxTokens } = request.body
  const leaves = new AbortController()
  const ended = once(response, 'close').then(() => leaves.abort())
  const serve = () => {
    next()
    return ended
  }
  await scheduler
    .add(serve, { model, prompt: messages.at(-1).content, maxTokens, signal: leaves.signal })
    .catch((error) => leaves.signal.aborted || next(error))
}

const answers = []
const core = await createServeCore()
const estimator = LengthPredictor.load(core, defaultLengthWeights())
const scheduler = new Scheduler({ core, concurrency: 1, estimator })

const app = express()
app.post('/v1/chat/completions', express.json(), shortestFirst(scheduler), async (request, response) => {
  while (answers.length === 0 && scheduler.size < 2) await setTimeout(1) // the first answer takes until the others wait
  response.send(request.body.messages.at(-1).content)
})
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')

async function ask(content, max_tokens) {
  const response = await fetch(`http://127.0.0.1:${server.address().port}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'mine', max_tokens, messages: [{ role: 'user', content }] }),
  })
  answers.push(await response.text())
}
const first = ask('Write an essay on the history of sailing.')
while (scheduler.pending === 0) await setTimeout(1) // until the server works on it
const second = ask('Write an essay on the history of bread.')
while (scheduler.size < 1) await setTimeout(1)
await Promise.all([first, second, ask('Is bread older than beer? Answer yes or no.', 5)])
for (const answer of answers) console.log(`answered: ${answer}`)
server.close()

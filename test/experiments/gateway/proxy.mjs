// One proxy in a process of its own: the gateway in one of its orders, or a plain one with a line of its own.
// Usage: fork(proxy.mjs, [JSON of { kind, upstream, concurrency, capacity, rows }]); says { port }, answers 'memory' and 'pause' | 'start'.
import http from 'node:http'
import { Gateway } from '@trimtab/gateway'
import { concatenateRounds, createServeCore, LengthPredictor, Scheduler } from '@trimtab/serve'
import { defaultLengthWeights } from '@trimtab/serve/weights'
import { readRows } from './workload.mjs'

const { kind, upstream, concurrency, capacity = 100_000 } = JSON.parse(process.argv[2])

/** First come, first served, as people write it: an array and a count. */
async function startPlain() {
  const waiting = []
  let running = 0
  const agent = new http.Agent({ keepAlive: true })
  const { hostname, port } = new URL(upstream)
  const enter = () => (running < concurrency ? void running++ : new Promise((resolve) => waiting.push(resolve)))
  const leave = () => {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
  const server = http.createServer(async (request, response) => {
    await enter()
    const { method, url: path, headers } = request
    const up = http.request({ hostname, port, method, path, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers)
      answer.pipe(response)
      answer.on('close', leave)
      answer.on('error', () => response.destroy())
    })
    up.on('error', ({ code }) => {
      if (response.headersSent) return response.destroy()
      response.writeHead(502).end(code === 'ECONNREFUSED' ? 'upstream_unreachable' : 'upstream_failed')
      leave()
    })
    request.pipe(up)
  })
  await new Promise((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, resolve))
  return { port: server.address().port }
}

/** Knows what nobody can know: the length of every answer. */
function createOracle() {
  const key = ({ model, prompt }) => `${model}\n${prompt}`
  const lengths = new Map()
  for (const { model, prompt, output_tokens: tokens } of readRows('valid'))
    lengths.set(key({ model, prompt: concatenateRounds([{ role: 'user', content: prompt }]) }), tokens)
  return {
    predict: (request) => ({ tokens: lengths.get(key(request)), score: 0, class: 0, source: 'model' }),
    observe() {},
  }
}

const createShipped = (core) => LengthPredictor.load(core, defaultLengthWeights())

/** Learned from the rows of train.jsonl, and goes on learning. */
function createTaught(core) {
  const predictor = new LengthPredictor(core)
  predictor.fit(
    readRows('train').map(({ model, prompt, output_tokens }) => ({ model, prompt, outputTokens: output_tokens })),
  )
  return predictor
}

async function startGateway() {
  const core = await createServeCore()
  const estimator = { shipped: createShipped, taught: createTaught, oracle: createOracle, fifo: createShipped }[kind](
    core,
  )
  const scheduler = new Scheduler({ core, concurrency, capacity, order: kind === 'fifo' ? 'fifo' : 'class', estimator })
  const gateway = new Gateway({ upstream, scheduler })
  const { port } = await gateway.listen(0)
  return { port, scheduler }
}

const { port, scheduler } = kind === 'plain' ? await startPlain() : await startGateway()
process.on('message', (message) => {
  if (message === 'memory') process.send({ rss: process.memoryUsage.rss(), waiting: scheduler.size })
  if (message === 'pause') scheduler.pause()
  if (message === 'start') scheduler.start()
})
process.on('disconnect', () => process.exit())
process.send({ port })

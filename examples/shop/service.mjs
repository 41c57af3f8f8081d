// One service of the shop, a process of its own. Its parent tells it where the others listen and where spans go; it ends with its parent.
import http from 'node:http'
import { join } from 'node:path'
import process from 'node:process'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { SERVICES } from './services.mjs'
import { contextOf, headersOf, Tracing } from './tracing.mjs'
import { compute, Log, walk } from './work.mjs'

const MOST_QUEUED = 1000
const [NAME, REPLICA] = process.argv.slice(2)
const MOST_STOPPING_MS = 60_000 // of work that is there: what it cuts off, customers see fail
const BACKLOG = 4096 // connections that the system keeps for a process that has no CPU time left to take them
const QUIET_MS = 100
const OPERATIONS = SERVICES[NAME]

const agent = new http.Agent({ keepAlive: true })
const queue = []
/** The worker, while there is something in the queue. */
let packing
/** Told by the parent: `{ ports: { callee: port }, collector: url, exportMs, folder }`. */
let world
let tracing
let log

let isStopping = false
const server = http.createServer((request, response) => {
  if (isStopping) response.setHeader('connection', 'close')
  answer(request, response).catch((error) => {
    response.writeHead(500).end(error.message)
  })
})
server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG }, () => process.send({ port: server.address().port }))

process.on('disconnect', () => process.exit())
process.on('message', (message) => {
  if (message === 'stop') return stop()
  world = message
  tracing = new Tracing(NAME, REPLICA, world)
  log = new Log(join(world.folder, `${NAME}-${REPLICA}.log`))
  process.send('ready')
})

async function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://shop')
  const operation = pathname.slice(1)
  if (operation === 'healthz') return response.writeHead(world ? 200 : 503).end()
  const behaviour = OPERATIONS[operation]
  if (!behaviour || !world) return response.writeHead(404).end(`${NAME} does no ${operation}`)
  const size = Number(searchParams.get('size') ?? 1)
  const job = { operation, behaviour, size, context: contextOf(request.headers) }
  if (behaviour.isQueued) {
    if (queue.length >= MOST_QUEUED) return response.writeHead(503).end('the queue is full')
    queue.push(job)
    response.writeHead(202).end()
    packing ??= pack()
    return
  }
  await tracing.within(`${NAME}/${operation}`, 'server', job.context, (context) => serve(behaviour, size, context))
  response.end(Buffer.alloc((behaviour.replyKib ?? 1) * 1024))
}

/** The worker: one job after the other. */
async function pack() {
  for (let job = queue.shift(); job; job = queue.shift()) {
    const { operation, behaviour, size, context } = job
    await tracing
      .within(`${NAME}/${operation}`, 'consumer', context, (inner) => serve(behaviour, size, inner))
      .catch(() => {}) // its span says so, and the next job is another one
  }
  packing = undefined
}

/** Answers whoever is there, finishes what is queued, sends its spans. */
async function stop() {
  isStopping = true
  await lastArrival()
  const closed = new Promise((resolve) => server.close(resolve))
  const hurrying = setInterval(() => server.closeIdleConnections(), 20)
  setTimeout(MOST_STOPPING_MS, undefined, { ref: false }).then(() => server.closeAllConnections())
  await closed
  clearInterval(hurrying)
  await packing
  await tracing.stop().catch(() => {}) // nobody collects any more
  process.exit()
}

/** Callers go elsewhere by now. The system may have let some in that were not taken yet: to stop listening would cut them off. */
async function lastArrival() {
  let isQuiet
  server.on('connection', () => {
    isQuiet = false
  })
  do {
    isQuiet = true
    await setTimeout(QUIET_MS)
    for (let turn = 0; turn < 2; turn++) await setImmediate() // a process that was held up may not have looked since
  } while (!isQuiet)
}

async function serve({ cpuRounds = 0, memoryKib = 0, diskKib = 0, calls = [], later = [] }, size, context) {
  compute(cpuRounds * size)
  walk(memoryKib * size)
  if (diskKib > 0) await log.append(Math.ceil(diskKib * size))
  for (const stage of calls) await Promise.all(stage.map((call) => ask(call, 'client', size, context)))
  for (const call of later) await ask(call, 'producer', size, context)
}

const ask = (call, kind, size, parent) =>
  tracing.within(call, kind, parent, (context) => {
    const [callee, operation] = call.split('/')
    return post(world.ports[callee], `/${operation}?size=${size}`, headersOf(context))
  })

function post(port, path, headers) {
  return new Promise((resolve, reject) => {
    const sent = http.request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent }, (response) => {
      response.resume().on('error', reject)
      response.on('end', () => {
        if (response.statusCode < 400) resolve()
        else reject(new Error(`${path} answered ${response.statusCode}`))
      })
    })
    sent.on('error', (error) => {
      // A connection that was kept for later, and that the other side closed as this was sent: nobody has seen it.
      if (sent.reusedSocket && error.code === 'ECONNRESET') post(port, path, headers).then(resolve, reject)
      else reject(error)
    })
    sent.end()
  })
}

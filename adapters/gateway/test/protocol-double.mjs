// A double of a server of language models, in this process: it speaks OpenAI's protocol and Anthropic's over real sockets (chat and text
// completions, responses, messages, server-sent events, usage, errors) at the pace of a model, token by token, and computes nothing.
// Every answer says so.
//
// A request tells in its own body how it is to be answered:
//   double: { tokens, text, usage, reason, encoding, fault, after, status, retryAfter, times, held }
//   tokens  how many the answer takes (default 3), `text` each (default ' w')
//   usage   whether usage is told (default: always without streaming, else as `stream_options` asks)
//   reason  to finish (default: the protocol's own)
//   encoding  'gzip': the answer comes compressed, though nobody may have asked for it
//   fault   'hang' | 'reset' | 'error-event': silent, cut, or an error as an event; `after` so many tokens (default: before the head)
//   status  answers with this error, and `retryAfter`; so often to a `user` as `times` says (default: always)
//   held    answers when `release` of the request is called
import { createServer } from 'node:http'
import { brotliDecompressSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import { wordsOf } from './protocol-words.mjs'

const UNPACKERS = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync }

/** One request, and what became of it. */
class Seen {
  /** What was sent, piece by piece: what the client must get, byte for byte. */
  sent = []
  /** Tokens that went out. */
  tokens = 0
  /** 'open', then 'done' or 'cut'. */
  state = 'open'

  constructor(request, response, body, notify) {
    this.method = request.method
    this.path = request.url
    this.headers = request.headers
    this.body = body
    this.response = response
    this.notify = notify
    this.released = new Promise((resolve) => {
      this.release = () => resolve(undefined)
    })
    this.closed = new Promise((resolve) => {
      response.on('close', () => {
        this.state = response.writableFinished ? 'done' : 'cut'
        resolve()
        notify()
      })
    })
    response.on('error', () => {})
  }

  /** Waits for the reader when it is slower. */
  async write(data) {
    const bytes = Buffer.from(data)
    this.sent.push(bytes)
    if (this.response.write(bytes)) return
    await Promise.race([this.closed, new Promise((resolve) => this.response.once('drain', resolve))])
  }

  answer(status, value, headers = {}, encoding = undefined) {
    const text = Buffer.from(JSON.stringify(value))
    const bytes = encoding === 'gzip' ? gzipSync(text) : text
    this.sent.push(bytes)
    const framing = { 'Content-Type': 'application/json', 'Content-Length': bytes.length }
    this.response.writeHead(status, { ...framing, ...(encoding && { 'Content-Encoding': encoding }), ...headers })
    this.response.end(bytes)
  }
}

/**
 * @param {{ slots?: number, secondsPerToken?: number, port?: number, remembers?: boolean, refuses?: object, onTake?: (user: unknown) => void }} [options]  slots: answers at once, as a model has places in its
 *   batch; others wait here, in order. secondsPerToken: of each answer, however many are under way.
 *   remembers: false for long runs, in which nobody looks at `requests`. refuses: `status`, `retryAfter`, `times` of every request. onTake: told of each that is worked on
 */
export async function startDouble({
  slots = Number.POSITIVE_INFINITY,
  secondsPerToken = 0,
  port = 0,
  remembers = true,
  refuses = {},
  onTake = () => {},
} = {}) {
  /** @type {Seen[]} */
  const requests = []
  const watchers = new Set()
  const notify = () => {
    for (const watcher of [...watchers]) watcher()
  }
  const places = new Places(slots)
  const refused = new Map()
  const server = createServer({ noDelay: true }, async (request, response) => {
    if (request.url === '/v1/hold') return // reads nothing, says nothing
    const body = await readWhole(request)
    if (!body) return
    const seen = new Seen(request, response, body, notify)
    if (remembers) requests.push(seen)
    notify()
    response.setHeader('Server', 'protocol-double')
    const path = request.url.split('?')[0]
    if (request.method !== 'POST' || !/\/(completions|responses|messages)$/.test(path))
      return seen.answer(200, { object: 'list', data: [{ id: 'double', object: 'model' }] })
    await places.take()
    try {
      const unpack = UNPACKERS[request.headers['content-encoding']]
      const asked = JSON.parse((unpack ? unpack(body) : body).toString())
      await complete(seen, { ...asked, double: { ...refuses, ...asked.double } }, { secondsPerToken, refused, onTake })
    } finally {
      places.give()
    }
  })
  const sockets = new Set()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise((resolve) => server.listen({ port, host: '127.0.0.1', backlog: 4096 }, resolve))

  return {
    url: `http://127.0.0.1:${server.address().port}`,
    port: server.address().port,
    /** Everything that came, in order. */
    requests,
    /** Most answers that were under way at once. */
    peak: () => places.peak,
    /** Connections that are open, in use or not. */
    connections: () => sockets.size,
    closeIdle: () => server.closeIdleConnections(),
    /**
     * Resolves when `holds` does; asked whenever something came, moved or ended.
     * @param {(requests: Seen[]) => boolean} holds
     */
    until: (holds) =>
      new Promise((resolve) => {
        const watcher = () => {
          if (!holds(requests)) return
          watchers.delete(watcher)
          resolve()
        }
        watchers.add(watcher)
        watcher()
      }),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

class Places {
  peak = 0
  #taken = 0
  #waiting = []

  constructor(count) {
    this.count = count
  }

  async take() {
    if (this.#taken < this.count) this.#taken++
    else await new Promise((resolve) => this.#waiting.push(resolve))
    this.peak = Math.max(this.peak, this.#taken)
  }

  give() {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#taken--
  }
}

async function readWhole(request) {
  const chunks = []
  try {
    for await (const chunk of request) chunks.push(chunk)
    return Buffer.concat(chunks)
  } catch {
    return undefined // the sender left
  }
}

async function complete(seen, request, { secondsPerToken, refused, onTake }) {
  const { response } = seen
  const { tokens = 3, status, retryAfter, times, encoding, fault, after = 0, held, ...options } = request.double ?? {}
  if (held) await Promise.race([seen.released, seen.closed])
  if (response.destroyed) return
  const refusals = refused.get(request.user) ?? 0
  if (status !== undefined && !(refusals >= times)) {
    refused.set(request.user, refusals + 1)
    const error = { message: `a double was asked for ${status}`, type: 'server_error', param: null, code: null }
    return seen.answer(status, { error }, retryAfter ? { 'Retry-After': retryAfter } : {})
  }
  onTake(request.user)
  if (fault && (after === 0 || !request.stream)) return fail(seen, fault)
  const words = wordsOf(seen.path.split('?')[0], request, options)
  const pace = createPace(secondsPerToken)
  if (!request.stream) {
    await Promise.race([pace(tokens), seen.closed])
    seen.tokens = tokens
    return seen.answer(200, words.whole(tokens), {}, encoding)
  }
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-cache' })
  await seen.write(words.role())
  const last = fault ? after : tokens
  while (seen.tokens < last) {
    const due = Math.min(last, await pace(seen.tokens + 1))
    if (response.destroyed) return
    const count = Math.min(due - seen.tokens, 64)
    seen.tokens += count
    await seen.write(words.token().repeat(count))
    seen.notify()
  }
  if (fault) return fail(seen, fault)
  await seen.write(words.end(tokens))
  response.end()
}

async function fail(seen, fault) {
  if (fault === 'reset') {
    await new Promise((resolve) => setTimeout(resolve, 20)) // a reset takes along what was not read before it
    seen.response.socket?.resetAndDestroy()
  }
  if (fault === 'hang') await seen.closed
  if (fault !== 'error-event') return
  await seen.write('data: {"error":{"message":"a double was asked to fail","type":"server_error"}}\n\ndata: [DONE]\n\n')
  seen.response.end()
}

/** Waits until a token is due; resolves with how many are by then: a slow machine falls behind in time, not in tokens. */
function createPace(secondsPerToken) {
  if (secondsPerToken === 0) return async () => Number.POSITIVE_INFINITY
  const start = performance.now()
  const millisecondsPerToken = secondsPerToken * 1000
  return async (tokens) => {
    const wait = start + tokens * millisecondsPerToken - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    return Math.max(tokens, Math.floor((performance.now() - start) / millisecondsPerToken))
  }
}

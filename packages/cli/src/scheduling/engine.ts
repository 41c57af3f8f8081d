// A simulated inference engine with continuous batching, iteration by iteration: prefill in chunks, a running batch whose
// iterations take longer the more is in it, and a KV cache that may be full.
import { type Admission, type AdmissionLine, createAdmission, type Waiting } from './admission.js'

/** How long an iteration of the engine takes, and what it has room for. */
export interface EngineModel {
  /** Requests that run together at most. */
  readonly places: number
  /** Tokens that the KV cache has room for. */
  readonly kvTokens: number
  /** Prompt tokens that an iteration takes in at most, beside a token of each running request (chunked prefill). */
  readonly chunkTokens: number
  /** Of the layers that only see how many tokens there are: projections, MLP, norms, collectives. Called with 1 or more. */
  linearSeconds(tokens: number): number
  /** Attention reads every cached token of each request that decodes. */
  readonly secondsPerCachedToken: number
  /** Attention of a prompt: for each token of a chunk and each token before it. */
  readonly secondsPerPromptPair: number
}

/** N requests in the order of arrival. */
export interface EngineRequests {
  /** [N] s */
  readonly arrival: Float64Array
  readonly promptTokens: Float64Array
  readonly outputTokens: Float64Array
  /** [N] output tokens as expected. */
  readonly estimate: Float64Array
}

/** When each of N requests was answered. `outputTokens` are whole numbers from 1 on. */
export interface EngineTimes {
  /** [N] s, when it was admitted for the first time. */
  readonly start: Float64Array
  readonly firstToken: Float64Array
  readonly finish: Float64Array
  /** How often a request lost its place because the cache was full, and was computed again. */
  readonly preemptions: number
  /** Mean over the time in which any ran: requests in the batch, and share of the cache in use. */
  readonly meanBatch: number
  readonly meanCache01: number
}

interface Running extends Waiting {
  /** Prompt, and what it had generated before it lost its place: still to be taken in. */
  prefillLeft: number
  cached: number
  /** Tokens of the cache that it counts for when others are admitted. */
  reserved: number
}

/**
 * Serves requests in the order of `admission`. Who is first and finds no room waits, and the others behind it. When the cache
 * is full, who was admitted last gives its place up and is computed anew (vLLM's recomputation); it is first in line then.
 */
export function runEngine(requests: EngineRequests, model: EngineModel, admission: Admission): EngineTimes {
  const engine = new Engine(requests, model, admission)
  while (!engine.isDone) engine.advance()
  return engine.times()
}

class Engine {
  readonly #requests: EngineRequests
  readonly #model: EngineModel
  readonly #line: AdmissionLine
  readonly #start: Float64Array
  readonly #firstToken: Float64Array
  readonly #finish: Float64Array
  /** In the order in which they were admitted. */
  #running: Running[] = []
  readonly #preempted: Waiting[] = []
  /** Who is first finds no room, until somebody comes or leaves. */
  #isBlocked = false
  #now = 0
  #arrived = 0
  #done = 0
  #preemptions = 0
  #busySeconds = 0
  #batchSeconds = 0
  #cacheSeconds = 0

  constructor(requests: EngineRequests, model: EngineModel, admission: Admission) {
    const count = requests.arrival.length
    this.#requests = requests
    this.#model = model
    this.#line = createAdmission(requests, admission)
    this.#start = new Float64Array(count).fill(Number.NaN)
    this.#firstToken = new Float64Array(count)
    this.#finish = new Float64Array(count)
  }

  get isDone(): boolean {
    return this.#done === this.#finish.length
  }

  /** To the next moment at which something may change: who is in the batch, or what part of a prompt is taken in. */
  advance(): void {
    const { arrival } = this.#requests
    while (arrival[this.#arrived]! <= this.#now) {
      this.#line.enter(this.#arrived++)
      this.#isBlocked = false
    }
    if (!this.#isBlocked) this.#admit()
    if (this.#running.length === 0) {
      this.#now = arrival[this.#arrived]!
      return
    }
    this.#makeRoom()
    if (this.#running.some(({ prefillLeft }) => prefillLeft > 0)) this.#iterateWithPrefill()
    else this.#decode()
    this.#leave()
  }

  times(): EngineTimes {
    return {
      ...{ start: this.#start, firstToken: this.#firstToken, finish: this.#finish, preemptions: this.#preemptions },
      meanBatch: this.#batchSeconds / this.#busySeconds,
      meanCache01: this.#cacheSeconds / this.#busySeconds / this.#model.kvTokens,
    }
  }

  #admit(): void {
    const { places, kvTokens } = this.#model
    if (this.#running.length >= places) return
    let reserved = sumOf(this.#running, (one) => Math.max(one.reserved, one.cached + one.prefillLeft))
    while (this.#running.length < places) {
      const first = this.#preempted[0] ?? this.#line.first(this.#running)
      if (!first) return
      const { row, generated } = first
      const prefillLeft = this.#requests.promptTokens[row]! + generated
      const needs = Math.max(prefillLeft + 1, this.#line.reserve(row))
      this.#isBlocked = this.#running.length > 0 && reserved + needs > kvTokens
      if (this.#isBlocked) return
      if (!this.#preempted.shift()) this.#line.take(row)
      if (Number.isNaN(this.#start[row]!)) this.#start[row] = this.#now
      this.#running.push({ row, generated, prefillLeft, cached: 0, reserved: needs })
      reserved += needs
    }
  }

  /** Each request that decodes needs room for one more token. */
  #makeRoom(): void {
    const growth = ({ cached, prefillLeft }: Running): number => cached + (prefillLeft === 0 ? 1 : 0)
    let needed = sumOf(this.#running, growth)
    while (this.#running.length > 1 && needed > this.#model.kvTokens) {
      const last = this.#running.pop()!
      needed -= growth(last)
      this.#preempted.unshift({ row: last.row, generated: last.generated })
      this.#preemptions++
      this.#isBlocked = false
    }
  }

  /** One iteration: a token for each that decodes, and the next chunk of prompts in the order of admission. */
  #iterateWithPrefill(): void {
    const { chunkTokens, secondsPerCachedToken, secondsPerPromptPair } = this.#model
    let [tokens, cachedTokens, pairs, chunk] = [0, 0, 0, chunkTokens]
    for (const one of this.#running) {
      if (one.prefillLeft === 0) {
        tokens++
        cachedTokens += one.cached
        one.cached++
        one.generated++
        continue
      }
      const taken = Math.min(chunk, one.prefillLeft)
      pairs += taken * (one.cached + taken / 2)
      one.cached += taken
      one.prefillLeft -= taken
      chunk -= taken
      tokens += taken
      if (one.prefillLeft === 0) one.generated++ // the end of the prompt gives the next token
    }
    const linear = this.#model.linearSeconds(tokens)
    this.#pass(linear + secondsPerCachedToken * cachedTokens + secondsPerPromptPair * pairs)
    for (const { row, generated, prefillLeft } of this.#running)
      if (generated === 1 && prefillLeft === 0 && this.#firstToken[row] === 0) this.#firstToken[row] = this.#now
  }

  /** As many iterations as nobody ends in, nobody can join in, and the cache has room for. */
  #decode(): void {
    const { arrival, outputTokens } = this.#requests
    const { places, kvTokens, secondsPerCachedToken } = this.#model
    const size = this.#running.length
    const cached = sumOf(this.#running, (one) => one.cached)
    let most = Math.max(1, Math.floor((kvTokens - cached) / size))
    for (const { row, generated } of this.#running) most = Math.min(most, outputTokens[row]! - generated)
    const until = size < places ? (arrival[this.#arrived] ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY
    const linear = this.#model.linearSeconds(size)
    let [steps, seconds] = [0, 0]
    do {
      seconds += linear + secondsPerCachedToken * (cached + size * steps)
      steps++
    } while (steps < most && this.#now + seconds < until)
    for (const one of this.#running) {
      one.cached += steps
      one.generated += steps
    }
    this.#pass(seconds)
  }

  #pass(seconds: number): void {
    this.#now += seconds
    this.#busySeconds += seconds
    this.#batchSeconds += seconds * this.#running.length
    this.#cacheSeconds += seconds * sumOf(this.#running, (one) => one.cached)
  }

  #leave(): void {
    const isOver = ({ row, generated }: Running): boolean => generated >= this.#requests.outputTokens[row]!
    if (!this.#running.some(isOver)) return
    for (const one of this.#running) {
      if (!isOver(one)) continue
      this.#finish[one.row] = this.#now
      this.#done++
    }
    this.#running = this.#running.filter((one) => !isOver(one))
    this.#isBlocked = false
  }
}

function sumOf(running: readonly Running[], amount: (one: Running) => number): number {
  let sum = 0
  for (const one of running) sum += amount(one)
  return sum
}

import { StringDecoder } from 'node:string_decoder'

// Reads how many tokens an answer took from the bytes that pass by. It sees a copy: what the client gets is never touched.

/** What is read of a body or of an event; everything may be missing. */
interface Completion {
  readonly usage?: { readonly completion_tokens?: unknown } | null
  readonly choices?: unknown
  readonly error?: unknown
}

interface Choice {
  readonly text?: unknown
  readonly delta?: {
    readonly content?: unknown
    readonly tool_calls?: unknown
    readonly [name: string]: unknown
  } | null
  readonly finish_reason?: unknown
}

export interface OutputCount {
  readonly tokens: number
  /** What the upstream said, or the number of events with text: one a token where the upstream streams token by token. */
  readonly source: 'usage' | 'events'
}

export interface OutputCounter {
  add(chunk: Buffer): void
  /** What a whole answer took; undefined where it cannot be said: no usage, cut short, an error inside. */
  finish(): OutputCount | undefined
}

const LARGEST_BODY = 16 * 1024 * 1024
const LARGEST_EVENT = 1024 * 1024 // characters
const [LF, CR] = [10, 13]

/** @returns undefined for answers that hold no completion */
export function createOutputCounter(status: number, contentType: string | undefined): OutputCounter | undefined {
  if (status < 200 || status > 299) return undefined
  if (contentType?.startsWith('text/event-stream')) return new EventCounter()
  if (contentType?.startsWith('application/json')) return new BodyCounter()
  return undefined
}

/** One JSON body: says its usage or nothing. */
class BodyCounter implements OutputCounter {
  #chunks: Uint8Array[] = []
  #bytes = 0

  add(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes <= LARGEST_BODY) this.#chunks.push(chunk)
    else this.#chunks = []
  }

  finish(): OutputCount | undefined {
    const tokens = usageOf(parse(Buffer.concat(this.#chunks).toString()))
    return tokens === undefined ? undefined : { tokens, source: 'usage' }
  }
}

/** Server-sent events, in pieces that end anywhere: lines end by CR, LF or both, `data` lines of one event belong together. */
class EventCounter implements OutputCounter {
  readonly #decoder = new StringDecoder('utf8')
  /** The line that has not ended. */
  #rest = ''
  /** The last piece ended by CR: an LF may belong to it. */
  #endedByCr = false
  #data: string[] = []
  #dataLength = 0
  #events = 0
  #usage: number | undefined
  #isDone = false
  #hasFailed = false

  add(chunk: Buffer): void {
    if (this.#hasFailed) return
    const text = this.#decoder.write(chunk)
    if (text === '') return
    let start = this.#endedByCr && text.charCodeAt(0) === LF ? 1 : 0
    this.#endedByCr = false
    for (let at = start; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code !== LF && code !== CR) continue
      this.#line(this.#rest + text.slice(start, at))
      this.#rest = ''
      if (code === CR && text.charCodeAt(at + 1) === LF) at++
      else if (code === CR && at + 1 === text.length) this.#endedByCr = true
      start = at + 1
    }
    this.#rest += text.slice(start)
    if (this.#rest.length + this.#dataLength > LARGEST_EVENT) this.#fail()
  }

  finish(): OutputCount | undefined {
    this.#line(this.#rest)
    this.#dispatch()
    if (!this.#isDone || this.#hasFailed) return undefined
    if (this.#usage !== undefined) return { tokens: this.#usage, source: 'usage' }
    return this.#events > 0 ? { tokens: this.#events, source: 'events' } : undefined
  }

  #line(line: string): void {
    if (line === '') this.#dispatch()
    else if (line.startsWith('data:')) {
      this.#data.push(line.slice(line[5] === ' ' ? 6 : 5))
      this.#dataLength += line.length
    }
  }

  #dispatch(): void {
    const data = this.#data.join('\n')
    this.#data = []
    this.#dataLength = 0
    if (data === '') return
    if (data === '[DONE]') {
      this.#isDone = true
      return
    }
    const event = parse(data)
    this.#usage = usageOf(event) ?? this.#usage
    if (event?.error) this.#fail()
    for (const choice of choicesOf(event)) {
      if (hasOutput(choice)) this.#events++
      if (typeof choice.finish_reason === 'string') this.#isDone = true
    }
  }

  #fail(): void {
    this.#hasFailed = true
    this.#rest = ''
    this.#data = []
  }
}

function parse(text: string): Completion | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined // an upstream that is not quite JSON is still relayed; it only teaches nothing
  }
}

function usageOf(completion: Completion | undefined): number | undefined {
  const tokens = completion?.usage?.completion_tokens
  return typeof tokens === 'number' && tokens >= 0 && Number.isFinite(tokens) ? tokens : undefined
}

const choicesOf = (completion: Completion | undefined): readonly Choice[] =>
  Array.isArray(completion?.choices)
    ? completion.choices.filter((choice: unknown) => typeof choice === 'object' && choice !== null)
    : []

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

/** Text, reasoning or a piece of a tool call; not the first event, which only names the role. */
function hasOutput({ text, delta }: Choice): boolean {
  if (isText(text)) return true
  if (!delta) return false
  return (
    isText(delta.content) ||
    isText(delta.reasoning_content) ||
    isText(delta.reasoning) ||
    Array.isArray(delta.tool_calls)
  )
}

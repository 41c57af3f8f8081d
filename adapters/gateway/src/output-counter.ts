// Reads how many tokens an answer took from the bytes that pass by. It sees a copy: what the client gets is never touched.
import type { IncomingHttpHeaders } from 'node:http'
import { isCount, readEvent } from './answer-events.js'
import { AnswerTally, type OutputCount } from './answer-tally.js'
import { isPlain } from './content-encoding.js'
import { EventStream } from './event-stream.js'
import { jsonPaths, skimJson } from './skim-json.js'

export interface OutputCounter {
  /** Whether a first token has come; false for an answer that comes as a whole. */
  readonly hasBegun: boolean
  add(chunk: Buffer): void
  /** What the answer took, when all of it has passed. */
  finish(): Promise<OutputCount>
}

const LARGEST_BODY = 16 * 1024 * 1024

/** @returns undefined for answers that hold no completion */
export function createOutputCounter(status: number, headers: IncomingHttpHeaders): OutputCounter | undefined {
  if (status < 200 || status > 299) return undefined
  const type = headers['content-type'] ?? ''
  const isStream = type.startsWith('text/event-stream')
  if (!isStream && !type.startsWith('application/json')) return undefined
  if (!isPlain(headers['content-encoding'])) return COMPRESSED
  return isStream ? new StreamCounter() : new BodyCounter()
}

/** It was asked for plain: what comes otherwise is passed on and not read. */
const COMPRESSED: OutputCounter = {
  hasBegun: false,
  add() {},
  finish: async () => ({ tokens: undefined, reason: 'compressed' }),
}

class StreamCounter implements OutputCounter {
  readonly #tally = new AnswerTally()
  readonly #events = new EventStream((data) => readEvent(data, this.#tally))

  get hasBegun(): boolean {
    return this.#tally.hasText
  }

  add(chunk: Buffer): void {
    this.#events.add(chunk)
  }

  async finish(): Promise<OutputCount> {
    this.#events.end()
    if (this.#events.hasOverflown) this.#tally.hasFailed = true
    return this.#tally.count()
  }
}

const USAGE = ['usage.completion_tokens', 'usage.output_tokens']
/** Of choices, of Anthropic's messages, of responses. */
const REASONS = ['choices.finish_reason', 'stop_reason', 'status']
const ERRORS = ['error', 'error.message']
const WANTED = jsonPaths([...USAGE, ...REASONS, ...ERRORS])

/** One JSON body: says its usage or nothing. */
class BodyCounter implements OutputCounter {
  readonly hasBegun = false
  #chunks: Uint8Array[] = []
  #bytes = 0

  add(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes <= LARGEST_BODY) this.#chunks.push(chunk)
    else this.#chunks = []
  }

  async finish(): Promise<OutputCount> {
    const tally = new AnswerTally()
    let choice = 0
    const kind = await skimJson(Buffer.concat(this.#chunks), WANTED, (path, value) => {
      if (USAGE.includes(path)) tally.usage = isCount(value) ? value : tally.usage
      else if (REASONS.includes(path)) tally.setReason(choice++, value)
      else if (value !== null) tally.hasFailed = true
    })
    tally.hasEnded = kind === 'object'
    return tally.count()
  }
}

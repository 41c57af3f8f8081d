import { mkdir } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Clock, Problems, type TrimtabError } from '@trimtab/core'
import { HttpServer } from '@trimtab/node/http'
import type { BatchFormat, BatchTally, Trace } from '@trimtab/trace'
import { BatchFiles } from './batch-files.js'
import { CollectedWindow, type CollectedWindowOptions } from './collected-window.js'
import { finishDrafts } from './drafts.js'
import { type Encoding, encodingOf, JSON_ENCODING } from './encoding.js'
import { FRAMINGS, type Framing } from './framing.js'
import { Refusal, rpcCodeOf } from './refusal.js'
import { Room, readBody } from './request-body.js'
import { SpanRate } from './span-rate.js'

/** A collector's address, limits and where it writes. */
export interface CollectorOptions {
  /** Default 4318, OTLP's own; 0: any that is free. */
  readonly port?: number
  /** Who can reach it; default 127.0.0.1, this machine only. */
  readonly host?: string
  /** Where files go; it is made if it is not there. Default: none are written. */
  readonly folder?: string
  /** A file that holds as much is finished; default 64 MiB. */
  readonly mostFileBytes?: number
  /** And so is one that was opened so long ago; default 60. */
  readonly mostFileSeconds?: number
  /** Finished files that stay; the oldest go. Default: all. */
  readonly keepFiles?: number
  /** A larger batch, packed or not, is 413; default 16 MiB. */
  readonly mostBatchBytes?: number
  /** Bytes of batches that are not on the disk yet; more is 503. Default 64 MiB. */
  readonly mostWaitingBytes?: number
  /** More is 429; default: any number. */
  readonly mostSpansPerSecond?: number
  /** What `window` keeps. */
  readonly window?: CollectedWindowOptions
  /** How often traces are looked at: a trace is complete when it was quiet for so long. Default 1. */
  readonly sweepSeconds?: number
  /** Told every trace once it is complete. */
  readonly onTrace?: (trace: Trace) => void
  /** Told what the file system refuses; batches are 503 meanwhile. */
  readonly onError?: (error: Error) => void
}

/** What a collector did since it started. */
export interface CollectorStatistics {
  readonly batches: number
  readonly spans: number
  /** Complete traces. */
  readonly traces: number
  /** Spans that nothing could read. */
  readonly rejectedSpans: number
  /** Bytes of batches, unpacked. */
  readonly bytes: number
  /** Requests refused, by status. */
  readonly refused: Readonly<Record<string, number>>
  /** Bytes on their way to the disk, now. */
  readonly waitingBytes: number
  /** Spans in the window, now. */
  readonly windowSpans: number
}

const PATH = '/v1/traces'
const CLOCK: Clock = { now: () => performance.now() }

/**
 * Receives spans by OTLP over HTTP, JSON or protobuf. A batch is read once; its bytes go to a file as they came, and the answer says that
 * they are there. What there is no room for is refused in a way that makes exporters send it again, so memory is bounded and nothing is lost
 * in silence.
 */
export class Collector {
  /** The requests of the last seconds. */
  readonly window: CollectedWindow
  /** Files that an earlier collector had left unfinished, and that are whole now. */
  readonly recovered: readonly string[]
  readonly #files: Readonly<Record<BatchFormat, BatchFiles>> | undefined
  readonly #mostBatchBytes: number
  readonly #room: Room
  readonly #rate: SpanRate | undefined
  readonly #onTrace: (trace: Trace) => void
  readonly #onError: (error: Error) => void
  readonly #sweeping: NodeJS.Timeout
  readonly #open = new Set<Promise<void>>()
  readonly #refused: Record<string, number> = {}
  #server!: HttpServer
  #isClosing = false
  #batches = 0
  #spans = 0
  #rejected = 0
  #bytes = 0

  private constructor(options: CollectorOptions, recovered: readonly string[]) {
    const { folder, mostFileBytes = 64 * 2 ** 20, mostFileSeconds = 60, keepFiles = Number.POSITIVE_INFINITY } = options
    const { mostBatchBytes = 16 * 2 ** 20, mostWaitingBytes = 64 * 2 ** 20, sweepSeconds = 1 } = options
    const { onTrace = () => {}, onError = () => {} } = options
    this.window = new CollectedWindow(CLOCK, options.window)
    this.recovered = recovered
    this.#mostBatchBytes = mostBatchBytes
    this.#room = new Room(mostWaitingBytes)
    const { mostSpansPerSecond } = options
    this.#rate = mostSpansPerSecond === undefined ? undefined : new SpanRate(mostSpansPerSecond, CLOCK)
    this.#onTrace = onTrace
    this.#onError = onError
    if (folder !== undefined) {
      const rotation = { folder, mostFileBytes, mostFileSeconds, keepFiles }
      const { 'otlp-json': lines, 'otlp-protobuf': prefixed } = FRAMINGS
      const writing = (framing: Framing): BatchFiles => new BatchFiles(framing, rotation, CLOCK)
      this.#files = { 'otlp-json': writing(lines), 'otlp-protobuf': writing(prefixed) }
    }
    this.#sweeping = setInterval(() => this.#sweep(), 1000 * sweepSeconds)
  }

  /**
   * Finishes what a killed collector left in the folder, then listens.
   * @throws {ConfigError} `config_invalid`, `port_unusable`; what the file system says of the folder
   */
  static async start(options: CollectorOptions = {}): Promise<Collector> {
    checkOptions(options)
    const { port = 4318, host = '127.0.0.1', folder } = options
    if (folder !== undefined) await mkdir(folder, { recursive: true })
    const collector = new Collector(options, folder === undefined ? [] : await finishDrafts(folder))
    try {
      collector.#server = await HttpServer.listen((request, response) => collector.#take(request, response), port, host)
    } catch (error) {
      clearInterval(collector.#sweeping)
      throw error
    }
    return collector
  }

  /** Where it listens. */
  get port(): number {
    return this.#server.port
  }

  /** What it did so far. */
  statistics(): CollectorStatistics {
    return {
      batches: this.#batches,
      spans: this.#spans,
      traces: this.window.traces,
      rejectedSpans: this.#rejected,
      bytes: this.#bytes,
      refused: { ...this.#refused },
      waitingBytes: this.#room.bytes,
      windowSpans: this.window.spans,
    }
  }

  /** Answers whoever was heard, refuses the others, finishes the files. */
  async close(): Promise<void> {
    if (this.#isClosing) return
    this.#isClosing = true
    clearInterval(this.#sweeping)
    await Promise.all(this.#open)
    await this.#server.close()
    await this.#eachFile((files) => files.finish())
  }

  #sweep(): void {
    for (const trace of this.window.sweep()) this.#onTrace(trace)
    this.#eachFile((files) => files.finishIfDue()).catch(this.#onError)
  }

  async #eachFile(call: (files: BatchFiles) => Promise<void>): Promise<void> {
    await Promise.all(Object.values(this.#files ?? {}).map(call))
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const taken = this.#answer(request, response)
    this.#open.add(taken)
    taken.finally(() => this.#open.delete(taken))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const encoding = encodingOf(request.headers['content-type'])
    try {
      const { rejected, reasons } = await this.#receive(request, encoding)
      send(response, 200, encoding!, encoding!.encodeAnswer(rejected, reasons.join('; ')))
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(500, 'the collector failed')
      if (refusal !== error) this.#onError(error as Error)
      this.#refuse(response, encoding ?? JSON_ENCODING, refusal)
    }
  }

  #refuse(response: ServerResponse, encoding: Encoding, { status, message, retryAfterSeconds }: Refusal): void {
    this.#refused[status] = (this.#refused[status] ?? 0) + 1
    if (retryAfterSeconds !== undefined) response.setHeader('retry-after', retryAfterSeconds)
    if (status === 405) response.setHeader('allow', 'POST')
    send(response, status, encoding, encoding.encodeStatus(rpcCodeOf(status), message))
  }

  async #receive(request: IncomingMessage, encoding: Encoding | undefined): Promise<BatchTally> {
    const path = request.url?.split('?')[0]
    if (path !== PATH) throw new Refusal(404, `traces go to ${PATH}, got ${path?.slice(0, 100)}`)
    if (request.method !== 'POST') throw new Refusal(405, `traces come by POST, got ${request.method}`)
    if (!encoding)
      throw new Refusal(415, 'Content-Type must be application/json or application/x-protobuf, nothing else is read')
    this.#checkRoom() // before the body is read for nothing
    const body = await readBody(request, this.#mostBatchBytes, this.#room)
    try {
      this.#checkRoom() // others came meanwhile
      const tally = this.#read(body, encoding)
      this.#rate?.count(tally.spans)
      if (tally.spans > 0) await this.#write(body, encoding)
      this.#batches++
      this.#spans += tally.spans
      this.#rejected += tally.rejected
      this.#bytes += body.length
      return tally
    } finally {
      this.#room.give(body.length)
    }
  }

  #checkRoom(): void {
    if (this.#isClosing) throw new Refusal(503, 'the collector ends: come again', 1)
    if (this.window.isFull) throw new Refusal(503, 'the window is full of spans of unfinished requests: come again', 1)
    this.#rate?.check()
  }

  #read(body: Buffer, { format }: Encoding): BatchTally {
    try {
      return this.window.add(body, format)
    } catch (error) {
      const { code, message } = error as TrimtabError
      throw code === 'batch_malformed' ? new Refusal(400, message) : error
    }
  }

  async #write(body: Buffer, { format }: Encoding): Promise<void> {
    try {
      await this.#files?.[format].append(body)
    } catch (error) {
      this.#onError(error as Error)
      throw new Refusal(503, 'the batch could not be written: come again', 1)
    }
  }
}

function send(response: ServerResponse, status: number, encoding: Encoding, body: string | Uint8Array): void {
  response.writeHead(status, { 'content-type': encoding.contentType, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

const OPTIONS = [
  ...['port', 'host', 'folder', 'mostFileBytes', 'mostFileSeconds', 'keepFiles', 'mostBatchBytes', 'mostWaitingBytes'],
  ...['mostSpansPerSecond', 'window', 'sweepSeconds', 'onTrace', 'onError'],
]
const AMOUNTS = ['mostFileBytes', 'mostFileSeconds', 'keepFiles', 'mostBatchBytes', 'mostWaitingBytes'] as const

function checkOptions(options: CollectorOptions): void {
  const problems = new Problems()
  problems.checkKeys(options, OPTIONS, 'options')
  for (const name of [...AMOUNTS, 'mostSpansPerSecond', 'sweepSeconds'] as const) {
    const value = options[name]
    problems.check(value === undefined || value > 0, `${name} must be > 0, got ${value}`)
  }
  const { mostBatchBytes = 16 * 2 ** 20, mostWaitingBytes = 64 * 2 ** 20 } = options
  problems.check(
    mostWaitingBytes >= mostBatchBytes,
    `mostWaitingBytes must be mostBatchBytes (${mostBatchBytes}) at least, got ${mostWaitingBytes}`,
  )
  problems.throwIfAny('collector')
}

// Logs of LLM requests, in the forms that people have them.
import { concatenateRounds, type Message, MOST_OUTPUT_TOKENS } from '@trimtab/serve'
import { UsageError } from '../usage-error.js'

/** One request as it was served: what is not in the log is undefined. */
export interface LoggedRequest {
  readonly model: string
  readonly prompt: string | undefined
  /** As counted by who wrote the log. */
  readonly promptTokens: number | undefined
  readonly outputTokens: number
  /** Seconds from the first request of the log. */
  readonly arrivalSeconds: number | undefined
  readonly source: string
}

/** A log of requests as it was read: at least a model and a number of output tokens each. */
export interface RequestLog {
  readonly name: string
  readonly requests: readonly LoggedRequest[]
  readonly models: readonly string[]
  readonly hasPrompts: boolean
  readonly hasArrivals: boolean
  /** Rows without a number of output tokens. */
  readonly skipped: number
}

/** What may stand for each field, by the names that logs use. */
const FIELDS = {
  model: ['model'],
  prompt: ['prompt'],
  source: ['source'],
  promptTokens: ['prompt_tokens', 'input_tokens', 'context_tokens', 'input_length', 'ContextTokens'],
  outputTokens: ['output_tokens', 'generated_tokens', 'output_length', 'GeneratedTokens', 'completion_tokens'],
  seconds: ['arrival_s', 'arrival_seconds'],
  milliseconds: ['arrival_ms', 'timestamp_ms', 'timestamp'], // Mooncake: `timestamp` in ms
  instant: ['TIMESTAMP'], // Azure as published: 2023-11-16 18:15:46.6805900
} as const

const LATEST_SECONDS = 1e11 // the year 5138

type Row = Readonly<Record<string, unknown>>

/**
 * Reads a log of requests: JSONL (`model`, `prompt` or `messages`, `output_tokens`, `arrival_s` or `arrival_ms`), Mooncake's
 * JSONL (`timestamp` in ms, `output_length`) or CSV with a head (Azure's LLM traces in each of their forms).
 * Requests with arrival times come in order of arrival.
 * @throws {UsageError} that names the line or what is missing
 */
export function readRequestLog(name: string, text: string): RequestLog {
  const rows = text.trimStart().startsWith('{') ? parseJsonLines(name, text) : parseCsv(name, text)
  const requests: LoggedRequest[] = []
  let skipped = 0
  for (const row of rows) {
    const request = requestOf(row)
    if (request) requests.push(request)
    else skipped++
  }
  if (requests.length === 0)
    throw new UsageError(
      `${name} has no request with a number of output tokens: a field ${FIELDS.outputTokens.join(', ')} is needed`,
    )
  const hasArrivals = requests.every(({ arrivalSeconds }) => arrivalSeconds !== undefined)
  return {
    name,
    skipped,
    requests: hasArrivals ? fromFirst(requests) : requests,
    models: [...new Set(requests.map(({ model }) => model))].sort(),
    hasPrompts: requests.every(({ prompt }) => prompt !== undefined),
    hasArrivals,
  }
}

function requestOf(row: Row): LoggedRequest | undefined {
  const outputTokens = numberOf(row, FIELDS.outputTokens) ?? numberOf(asRow(row.usage), FIELDS.outputTokens)
  if (outputTokens === undefined || outputTokens < 1 || outputTokens > MOST_OUTPUT_TOKENS) return undefined
  const seconds = numberOf(row, FIELDS.seconds)
  const milliseconds = numberOf(row, FIELDS.milliseconds)
  return {
    model: textOf(row, FIELDS.model) ?? 'one model',
    prompt: textOf(row, FIELDS.prompt) ?? conversationOf(row.messages),
    promptTokens: numberOf(row, FIELDS.promptTokens),
    outputTokens,
    arrivalSeconds: momentOf(seconds ?? (milliseconds === undefined ? instantOf(row) : milliseconds / 1000)),
    source: textOf(row, FIELDS.source) ?? '',
  }
}

/** Nothing for what is no moment of any clock: the differences of larger numbers say nothing. */
const momentOf = (seconds: number | undefined): number | undefined =>
  seconds !== undefined && Math.abs(seconds) <= LATEST_SECONDS ? seconds : undefined

const asRow = (value: unknown): Row => (typeof value === 'object' && value !== null ? (value as Row) : {})

const find = (row: Row, names: readonly string[]): unknown => row[names.find((name) => Object.hasOwn(row, name)) ?? '']

function textOf(row: Row, names: readonly string[]): string | undefined {
  const value = find(row, names)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function numberOf(row: Row, names: readonly string[]): number | undefined {
  const value = find(row, names)
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** Messages of the chat protocol as the predictor reads them at the gateway; undefined when there is no text. */
function conversationOf(messages: unknown): string | undefined {
  return (Array.isArray(messages) && concatenateRounds(messages.map(asRow) as Message[])) || undefined
}

function instantOf(row: Row): number | undefined {
  const text = textOf(row, FIELDS.instant)
  const [, upToSeconds, fraction] = /^(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)(\.\d+)?/.exec(text ?? '') ?? []
  if (upToSeconds === undefined) return undefined
  const milliseconds = Date.parse(`${upToSeconds.replace(' ', 'T')}Z`)
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000 + Number(fraction ?? 0)
}

function fromFirst(requests: readonly LoggedRequest[]): LoggedRequest[] {
  const sorted = [...requests].sort((a, b) => a.arrivalSeconds! - b.arrivalSeconds!)
  const first = sorted[0]!.arrivalSeconds!
  return sorted.map((request) => ({ ...request, arrivalSeconds: request.arrivalSeconds! - first }))
}

function* parseJsonLines(name: string, text: string): Generator<Row> {
  let number = 0
  for (const line of text.split('\n')) {
    number++
    if (line.trim() === '') continue
    try {
      yield asRow(JSON.parse(line))
    } catch {
      throw new UsageError(`${name}, line ${number} is not JSON`) // the line is somebody's prompt: it is not quoted
    }
  }
}

/** Columns by the names in the head; traces of numbers hold no quotes. */
function* parseCsv(name: string, text: string): Generator<Row> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const head = (lines[0] ?? '').split(',').map((cell) => cell.trim())
  if (!head.some((title) => FIELDS.outputTokens.some((known) => known === title)))
    throw new UsageError(
      `${name} is neither JSON lines nor a CSV whose first line names a column ${FIELDS.outputTokens.join(', ')}`,
    )
  for (const line of lines.slice(1)) {
    const cells = line.split(',')
    yield Object.fromEntries(head.map((title, i) => [title, cells[i]?.trim() ?? '']))
  }
}

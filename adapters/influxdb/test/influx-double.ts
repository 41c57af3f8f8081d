// InfluxDB 2.x is in no registry that the tests can reach: this double stands in for it. It follows the protocol as its documentation has
// it (line protocol, /api/v2/write, /api/v2/query with annotated CSV, JSON errors) and knows the one shape of Flux that the store writes.
import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Value = { readonly type: 'double' | 'long' | 'string'; readonly text: string }
interface StoredPoint {
  readonly measurement: string
  readonly tags: ReadonlyMap<string, string>
  readonly timeUs: bigint
  readonly fields: Map<string, Value>
}

/** Stands before the database for one request; `true`: it has answered. */
export type Interruption = (request: IncomingMessage, response: ServerResponse, body: string) => boolean

export const TOKEN = 'secret'

export class InfluxDouble {
  /** Bodies of writes, those that were not taken too. */
  readonly writes: string[] = []
  interruption: Interruption = () => false
  readonly #points = new Map<string, StoredPoint>()
  readonly #server = http.createServer((request, response) => void this.#answer(request, response))

  static async start(): Promise<InfluxDouble> {
    const double = new InfluxDouble()
    double.#server.listen(0, '127.0.0.1')
    await once(double.#server, 'listening')
    return double
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get size(): number {
    return this.#points.size
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString()
    const { pathname, searchParams } = new URL(request.url!, this.url)
    const fail = (status: number, code: string, message: string): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ code, message }))
    if (pathname === '/api/v2/write') this.writes.push(body)
    if (this.interruption(request, response, body)) return
    if (request.headers.authorization !== `Token ${TOKEN}`) return fail(401, 'unauthorized', 'unauthorized access')
    if (searchParams.get('org') !== 'o') return fail(404, 'not found', 'organization not found')
    try {
      if (pathname === '/api/v2/write') {
        if (searchParams.get('bucket') !== 'b') return fail(404, 'not found', 'bucket "x" not found')
        if (searchParams.get('precision') !== 'us') return fail(400, 'invalid', 'the double knows microseconds only')
        for (const line of body.split('\n')) this.#put(parseLine(line))
        response.writeHead(204).end()
      } else if (pathname === '/api/v2/query') {
        const { query, dialect } = JSON.parse(body)
        if (!dialect.header || dialect.annotations.join() !== 'datatype') throw new Error('the double has one dialect')
        const csv = this.#query(query)
        response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' }).end(csv)
      } else fail(404, 'not found', 'path not found')
    } catch (error) {
      fail(400, 'invalid', (error as Error).message)
    }
  }

  /** The same measurement, tags and time are the same point: its fields are overwritten. */
  #put(point: StoredPoint): void {
    const key = JSON.stringify([point.measurement, [...point.tags], String(point.timeUs)])
    const found = this.#points.get(key)
    if (!found) this.#points.set(key, point)
    else for (const [name, value] of point.fields) found.fields.set(name, value)
  }

  #query(flux: string): string {
    const text = '"((?:[^"\\\\]|\\\\.)*)"'
    const shape = new RegExp(
      `^from\\(bucket: ${text}\\)\\n {2}\\|> range\\(start: 0, stop: time\\(v: (\\d+)\\)\\)\\n {2}` +
        `\\|> filter\\(fn: \\(r\\) => r\\["_measurement"\\] == ${text} and r\\[${text}\\] == ${text}\\)\\n {2}` +
        '\\|> tail\\(n: (\\d+)\\)\\n {2}' +
        '\\|> pivot\\(rowKey: \\["_time"\\], columnKey: \\["_field"\\], valueColumn: "_value"\\)\\n {2}' +
        '\\|> sort\\(columns: \\["_time"\\]\\)$',
    )
    const [, bucket, stopNs, measurement, tag, tagValue, n] = shape.exec(flux) ?? []
    if (n === undefined || unquote(bucket!) !== 'b') throw new Error(`the double does not know ${flux}`)
    const meant = [...this.#points.values()]
      .filter((point) => point.measurement === unquote(measurement!))
      .filter((point) => point.tags.get(unquote(tag!)) === unquote(tagValue!) && point.timeUs * 1000n < BigInt(stopNs!))
      .sort((a, b) => (a.timeUs < b.timeUs ? -1 : 1))
    // tail: the last n of each field, which is a table of its own before the pivot.
    const names = [...new Set(meant.flatMap(({ fields }) => [...fields.keys()]))].sort()
    const kept = new Map(
      names.map((name) => [name, new Set(meant.filter(({ fields }) => fields.has(name)).slice(-Number(n)))]),
    )
    const rows = meant.filter((point) => names.some((name) => kept.get(name)!.has(point)))
    if (rows.length === 0) return '\r\n'
    const typeOf = (name: string) => meant.find(({ fields }) => fields.has(name))!.fields.get(name)!.type
    const head = ['result', 'table', '_start', '_stop', '_time', '_measurement', unquote(tag!)]
    const times = ['dateTime:RFC3339', 'dateTime:RFC3339', 'dateTime:RFC3339']
    const lines = [
      ['#datatype', 'string', 'long', ...times, 'string', 'string', ...names.map(typeOf)],
      ['', ...head, ...names],
      ...rows.map((point) => {
        const cell = (name: string) => (kept.get(name)!.has(point) ? (point.fields.get(name)?.text ?? '') : '')
        const place = ['', '_result', '0', '1970-01-01T00:00:00Z', '2262-04-11T23:47:16Z', rfc3339(point.timeUs)]
        return [...place, point.measurement, unquote(tagValue!), ...names.map(cell)]
      }),
    ]
    return `${lines.map((line) => line.map(csvCell).join(',')).join('\r\n')}\r\n\r\n`
  }
}

const csvCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** As Go prints it: no zeros at the end. */
function rfc3339(us: bigint): string {
  const seconds = new Date(Number(us / 1_000_000n) * 1000).toISOString().slice(0, 19)
  const fraction = String(us % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '')
  return `${seconds}${fraction && `.${fraction}`}Z`
}

function unquote(flux: string): string {
  if (/(?<!\\)(\\\\)*\$\{/.test(flux)) throw new Error(`an expression in a text: ${flux}`)
  return flux.replace(/\\(\$\{|.)/g, '$1')
}

const NAME = String.raw`(?:\\.|[^\\,= ])+`
const VALUE = String.raw`"(?:\\.|[^"\\])*"|[^", ][^, ]*` // a text begins with a quote
const FIELD = `${NAME}=(?:${VALUE})`
const LINE = new RegExp(`^((?:\\\\.|[^\\\\, ])+)((?:,${NAME}=${NAME})*) (${FIELD}(?:,${FIELD})*) (\\d+)$`)

const unescaped = (text: string): string => text.replace(/\\([,= ])/g, '$1')

/** `,name=value` again and again. */
const pairs = (text: string, value: string): [string, string][] =>
  [...text.matchAll(new RegExp(`(?:^|,)(${NAME})=(${value})`, 'g'))].map(([, name, found]) => [
    unescaped(name!),
    found!,
  ])

function parseLine(line: string): StoredPoint {
  const [, measurement, tags, fields, time] = LINE.exec(line) ?? []
  if (measurement === undefined || line.startsWith('#')) throw new Error(`unable to parse '${line}'`)
  return {
    measurement: unescaped(measurement),
    tags: new Map(pairs(tags!, NAME).map(([name, value]) => [name, unescaped(value)])),
    timeUs: BigInt(time!),
    fields: new Map(pairs(fields!, VALUE).map(([name, value]) => [name, fieldOf(value)])),
  }
}

function fieldOf(text: string): Value {
  if (/^".*"$/s.test(text)) return { type: 'string', text: text.slice(1, -1).replace(/\\(["\\])/g, '$1') }
  if (/^-?\d+i$/.test(text)) return { type: 'long', text: text.slice(0, -1) }
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text)) throw new Error(`invalid number ${text}`)
  return { type: 'double', text }
}

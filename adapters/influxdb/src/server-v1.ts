import { AdapterError, Problems } from '@trimtab/core'
import { printable } from '@trimtab/core/text'
import { HttpClient, type HttpClientOptions } from '@trimtab/node/http'
import { type InfluxServer, type PointQuery, type Row, requireOk } from './server.js'

/** InfluxDB 1.x; user and password stand in the URL. */
export interface InfluxV1Options extends HttpClientOptions {
  readonly version: 1
  /** It must exist: `CREATE DATABASE`. */
  readonly database: string
  /** Default: the database's default. */
  readonly retentionPolicy?: string
}

interface QueryAnswer {
  readonly results: readonly {
    readonly error?: string
    readonly series?: readonly {
      readonly columns: readonly string[]
      readonly values: readonly (readonly (number | string | null)[])[]
    }[]
  }[]
}

/** `/write` and `/query` with InfluxQL. */
export class InfluxV1 implements InfluxServer {
  readonly #http: HttpClient
  readonly #database: string
  readonly #retentionPolicy: string | undefined

  /** @throws {ConfigError} `config_invalid` */
  constructor({ version: _, database, retentionPolicy, ...http }: InfluxV1Options) {
    const problems = new Problems()
    problems.check(database !== '', 'server.database must not be empty')
    problems.throwIfAny('InfluxDB')
    this.#http = new HttpClient(http)
    this.#database = database
    this.#retentionPolicy = retentionPolicy
  }

  async write(lines: readonly string[], signal: AbortSignal): Promise<void> {
    const rp = this.#retentionPolicy
    const query = { db: this.#database, precision: 'u', ...(rp !== undefined && { rp }) }
    const answer = await this.#http.send({ method: 'POST', path: '/write', query, body: lines.join('\n') }, signal)
    requireOk(this.#http.url, answer)
  }

  async readBefore(beforeUs: number, n: number, query: PointQuery, signal: AbortSignal | undefined): Promise<Row[]> {
    const { measurement, tag, tagValue, fields } = query
    const policy = this.#retentionPolicy === undefined ? '' : `${identifier(this.#retentionPolicy)}.`
    const q =
      `SELECT ${fields.map(identifier).join(', ')} FROM ${policy}${identifier(measurement)} ` +
      `WHERE ${identifier(tag)} = ${text(tagValue)} AND time < ${beforeUs}u ORDER BY time DESC LIMIT ${n}`
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const form = new URLSearchParams({ db: this.#database, epoch: 'u', q })
    const answer = await this.#http.send({ method: 'POST', path: '/query', headers, body: form.toString() }, signal)
    requireOk(this.#http.url, answer)
    return readRows(this.#http.url, answer.body).reverse()
  }

  dispose(): void {
    this.#http.dispose()
  }
}

/** @throws {AdapterError} `influxdb_failed`: an error inside an answer of 200, or no answer of InfluxDB */
function readRows(url: string, body: string): Row[] {
  let answer: QueryAnswer
  try {
    answer = JSON.parse(body)
  } catch (error) {
    throw new AdapterError('influxdb_failed', `${url}: not an answer of InfluxDB (is the URL right?)`, { cause: error })
  }
  const [result] = answer.results ?? []
  if (result?.error !== undefined) throw new AdapterError('influxdb_failed', `${url}: ${printable(result.error)}`)
  return (result?.series ?? []).flatMap(({ columns, values }) => values.map((row) => toRow(columns, row)))
}

function toRow([, ...names]: readonly string[], [timeUs, ...values]: readonly (number | string | null)[]): Row {
  const fields = names.flatMap((name, i) => (values[i] === null ? [] : [[name, values[i]!] as const]))
  return { timeUs: timeUs as number, fields: new Map(fields) }
}

// Names have neither backslash nor line break (`encodeName`).
const identifier = (name: string): string => `"${name.replaceAll('"', '\\"')}"`
const text = (value: string): string => `'${value.replaceAll("'", "\\'")}'`

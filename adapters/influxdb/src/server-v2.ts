import { Problems } from '@trimtab/core'
import { HttpClient, type HttpClientOptions } from '@trimtab/node/http'
import { readFluxCsv } from './flux-csv.js'
import { type InfluxServer, type PointQuery, type Row, requireOk } from './server.js'

/** InfluxDB 2.x. */
export interface InfluxV2Options extends Omit<HttpClientOptions, 'authorization'> {
  readonly version: 2
  readonly org: string
  /** It must exist. */
  readonly bucket: string
  /** May read and write the bucket. A function is asked for every request. */
  readonly token: string | (() => string)
}

/** `/api/v2/write` and `/api/v2/query` with Flux. */
export class InfluxV2 implements InfluxServer {
  readonly #http: HttpClient
  readonly #org: string
  readonly #bucket: string

  /** @throws {ConfigError} `config_invalid` */
  constructor({ version: _, org, bucket, token, ...http }: InfluxV2Options) {
    const problems = new Problems()
    problems.check(org !== '', 'server.org must not be empty')
    problems.check(bucket !== '', 'server.bucket must not be empty')
    problems.throwIfAny('InfluxDB')
    const authorization = (): string => `Token ${typeof token === 'function' ? token() : token}`
    this.#http = new HttpClient({ ...http, authorization })
    this.#org = org
    this.#bucket = bucket
  }

  async write(lines: readonly string[], signal: AbortSignal): Promise<void> {
    const query = { org: this.#org, bucket: this.#bucket, precision: 'us' }
    const headers = { 'content-type': 'text/plain; charset=utf-8' }
    const body = lines.join('\n')
    requireOk(
      this.#http.url,
      await this.#http.send({ method: 'POST', path: '/api/v2/write', query, headers, body }, signal),
    )
  }

  async readBefore(beforeUs: number, n: number, wanted: PointQuery, signal: AbortSignal | undefined): Promise<Row[]> {
    const { measurement, tag, tagValue, fields } = wanted
    // The last n of each field; as every point has the first field, rows without it are older points' and are cut.
    const query = [
      `from(bucket: ${text(this.#bucket)})`,
      `range(start: 0, stop: time(v: ${beforeUs}000))`,
      `filter(fn: (r) => r["_measurement"] == ${text(measurement)} and r[${text(tag)}] == ${text(tagValue)})`,
      `tail(n: ${n})`,
      'pivot(rowKey: ["_time"], columnKey: ["_field"], valueColumn: "_value")',
      'sort(columns: ["_time"])',
    ].join('\n  |> ')
    const body = JSON.stringify({ query, type: 'flux', dialect: { header: true, annotations: ['datatype'] } })
    const headers = { 'content-type': 'application/json', accept: 'application/csv' }
    const request = { method: 'POST', path: '/api/v2/query', query: { org: this.#org }, headers, body } as const
    const answer = await this.#http.send(request, signal)
    requireOk(this.#http.url, answer)
    return readFluxCsv(answer.body).filter((row) => row.fields.has(fields[0]!))
  }

  dispose(): void {
    this.#http.dispose()
  }
}

/** A text of Flux: `${` would begin an expression. */
const text = (value: string): string => `"${value.replace(/["\\]/g, '\\$&').replaceAll('${', '\\${')}"`

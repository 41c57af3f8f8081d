// Batches as an exporter would send them, and what comes back.
import { request } from 'node:http'

export interface Answer {
  readonly status: number
  readonly type: string | undefined
  readonly retryAfter: string | undefined
  readonly body: Buffer
}

export interface Sending {
  readonly method?: string
  readonly path?: string
  readonly headers?: Record<string, string>
}

export const JSON_TYPE = { 'content-type': 'application/json' }
export const PROTOBUF_TYPE = { 'content-type': 'application/x-protobuf' }

export function send(port: number, body: string | Uint8Array, sending: Sending = {}): Promise<Answer> {
  const { method = 'POST', path = '/v1/traces', headers = JSON_TYPE } = sending
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          type: response.headers['content-type'],
          retryAfter: response.headers['retry-after'],
          body: Buffer.concat(chunks),
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** A batch of spans of one trace each, whose ids are the numbers from `first` on. */
export function batchOf(first: number, count: number, padding = ''): string {
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')
  const spans = Array.from({ length: count }, (_, i) => ({
    traceId: hex(first + i + 1, 32),
    spanId: hex(first + i + 1, 16),
    name: `op${padding}`,
    startTimeUnixNano: '1700000000000000000',
    endTimeUnixNano: '1700000000001000000',
  }))
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'cart' } }] }
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] })
}

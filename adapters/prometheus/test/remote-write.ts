// Samples with times of their own into a Prometheus that runs: remote write 0.1 (protobuf in a snappy block), as far as a test needs it.

export interface TimedSample {
  /** With `__name__`. */
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
  /** ms since 1970; none before what was written earlier. */
  readonly atMs: number
}

/** @throws where the server refuses them */
export async function remoteWrite(url: string, samples: readonly TimedSample[]): Promise<void> {
  const body = snappy(Buffer.concat(samples.map((sample) => field(1, timeSeries(sample)))))
  const headers = {
    'content-encoding': 'snappy',
    'content-type': 'application/x-protobuf',
    'x-prometheus-remote-write-version': '0.1.0',
  }
  const answer = await fetch(`${url}/api/v1/write`, { method: 'POST', headers, body: new Uint8Array(body) })
  if (!answer.ok) throw new Error(`remote write: ${answer.status} ${await answer.text()}`)
}

function timeSeries({ labels, value, atMs }: TimedSample): Buffer {
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))
  const double = Buffer.alloc(8)
  double.writeDoubleLE(value)
  const sample = Buffer.concat([Buffer.of(1 * 8 + 1), double, Buffer.of(2 * 8), varint(atMs)])
  const named = sorted.map(([name, text]) =>
    field(1, Buffer.concat([field(1, Buffer.from(name)), field(2, Buffer.from(text))])),
  )
  return Buffer.concat([...named, field(2, sample)])
}

/** A field of bytes. */
const field = (number: number, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.of(number * 8 + 2), varint(bytes.length), bytes])

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.of(...bytes, rest)
}

const LITERAL = 65_536 // bytes of one

/** A snappy block that compresses nothing: literals alone. */
function snappy(bytes: Buffer): Buffer {
  const parts = [varint(bytes.length)]
  for (let from = 0; from < bytes.length; from += LITERAL) {
    const literal = bytes.subarray(from, from + LITERAL)
    const length = literal.length - 1
    parts.push(Buffer.of(61 * 4, length & 255, length >> 8), literal) // 61: a length of two bytes follows
  }
  return Buffer.concat(parts)
}

// Headers are kept as they came, in order and case; what belongs to one connection only stays on it (RFC 9110, 7.6.1).

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer', // trailers are not forwarded
  'transfer-encoding',
  'upgrade',
])

/** Frames the body, and so is nobody's to take away: a body without a length would be read as the next request. */
const FRAMING = 'content-length'

/** Answered or written anew on this side. */
const OWN: ReadonlySet<string> = new Set(['host', 'expect', 'via', 'x-forwarded-for', 'x-trimtab-deadline-ms'])

const VIA = '1.1 trimtab'

/**
 * @param raw  name, value, name, value, …: `message.rawHeaders`
 * @returns the same without hop-by-hop headers and those that `Connection` names
 */
export function endToEndHeaders(raw: readonly string[], isDropped?: (name: string) => boolean): string[] {
  let named: Set<string> | undefined
  for (let i = 0; i < raw.length; i += 2) {
    if (raw[i]!.toLowerCase() !== 'connection') continue
    named ??= new Set()
    for (const token of raw[i + 1]!.split(',')) named.add(token.trim().toLowerCase())
  }
  named?.delete(FRAMING)
  const kept: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase()
    if (HOP_BY_HOP.has(name) || named?.has(name) || isDropped?.(name)) continue
    kept.push(raw[i]!, raw[i + 1]!)
  }
  return kept
}

export interface RequestHeaderOptions {
  /** Of the upstream: `host:port`. */
  readonly host: string
  readonly clientAddress: string | undefined
  /** Of a body that was read whole; without it the client's own framing goes on. */
  readonly bodyBytes?: number
}

/**
 * What the upstream gets to see: the client's headers, its own name as `Host`, and that a proxy stands between.
 * With `bodyBytes` the answer is asked for uncompressed, because its usage will be read on the way.
 */
export function requestHeaders(raw: readonly string[], options: RequestHeaderOptions): string[] {
  const { host, clientAddress, bodyBytes } = options
  const isRead = bodyBytes !== undefined
  const earlier = { via: '', 'x-forwarded-for': '' }
  let isChunked = false
  const headers = endToEndHeaders(raw, (name) => {
    if (OWN.has(name)) return true
    return isRead && (name === 'content-length' || name === 'accept-encoding')
  })
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase()
    if (name === 'via' || name === 'x-forwarded-for') earlier[name] += `${raw[i + 1]}, `
    if (name === 'transfer-encoding') isChunked = true
  }
  headers.unshift('Host', host)
  headers.push('Via', earlier.via + VIA)
  if (clientAddress !== undefined) headers.push('X-Forwarded-For', earlier['x-forwarded-for'] + clientAddress)
  // Framed again for every method: a body without a frame would be read as the next request.
  if (isChunked && !isRead) headers.push('Transfer-Encoding', 'chunked')
  if (isRead) headers.push('Content-Length', String(bodyBytes), 'Accept-Encoding', 'identity')
  return headers
}

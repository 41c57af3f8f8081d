import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endToEndHeaders, requestHeaders } from '../src/headers.js'

const options = { host: 'up:8000', clientAddress: '10.0.0.7' }
const valuesOf = (raw: readonly string[], name: string): string[] =>
  raw.filter((_, i) => i % 2 === 1 && raw[i - 1]!.toLowerCase() === name)

describe('headers that go on', () => {
  it('keep their order, their case and their repetitions', () => {
    const raw = ['Set-Cookie', 'a=1', 'X-Odd', 'é', 'Set-Cookie', 'b=2', 'set-cookie', 'c=3']
    expect(endToEndHeaders(raw)).toEqual(raw)
  })

  it('lose what belongs to one connection, and what Connection names', () => {
    const raw = [
      'Connection',
      'close, X-Hop',
      'x-hop',
      '1',
      'CONNECTION',
      'Keep-Alive',
      'Keep-Alive',
      'timeout=5',
      'TE',
      'trailers',
    ]
    expect(endToEndHeaders([...raw, 'Transfer-Encoding', 'chunked', 'Upgrade', 'h2c', 'X-Kept', '2'])).toEqual([
      'X-Kept',
      '2',
    ])
  })

  it('lose nothing else, whatever it is called', () => {
    const name = fc.stringMatching(/^x-[a-z0-9]{1,8}$/)
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.string())), (pairs) => {
        expect(endToEndHeaders(pairs.flat())).toEqual(pairs.flat())
      }),
    )
  })
})

describe('the headers of a request to the upstream', () => {
  it('name the upstream, the proxy and the client, behind those before it', () => {
    const raw = ['Host', 'gateway', 'Via', '1.1 edge', 'X-Forwarded-For', '1.2.3.4', 'Authorization', 'Bearer k']
    const headers = requestHeaders(raw, options)
    expect(valuesOf(headers, 'host')).toEqual(['up:8000'])
    expect(valuesOf(headers, 'via')).toEqual(['1.1 edge, 1.1 trimtab'])
    expect(valuesOf(headers, 'x-forwarded-for')).toEqual(['1.2.3.4, 10.0.0.7'])
    expect(valuesOf(headers, 'authorization')).toEqual(['Bearer k'])
  })

  it('carry one length of a body that was read whole, and ask for an answer that can be read', () => {
    const raw = ['Transfer-Encoding', 'chunked', 'Accept-Encoding', 'gzip', 'Expect', '100-continue']
    const headers = requestHeaders(raw, { ...options, bodyBytes: 7 })
    expect(valuesOf(headers, 'content-length')).toEqual(['7'])
    expect(valuesOf(headers, 'accept-encoding')).toEqual(['identity'])
    expect(valuesOf(headers, 'transfer-encoding')).toEqual([])
    expect(valuesOf(headers, 'expect')).toEqual([])
  })

  it('frame a body of unknown length for every method, so that no part of it is read as another request', () => {
    expect(valuesOf(requestHeaders(['Transfer-Encoding', 'chunked'], options), 'transfer-encoding')).toEqual([
      'chunked',
    ])
    expect(valuesOf(requestHeaders(['Content-Length', '3'], options), 'content-length')).toEqual(['3'])
  })

  it('keep the length of a body that goes on, though Connection names it: without, the body would be another request', () => {
    const raw = ['Connection', 'Content-Length, x-hop', 'X-Hop', '1', 'Content-Length', '3']
    const headers = requestHeaders(raw, options)
    expect(valuesOf(headers, 'content-length')).toEqual(['3'])
    expect(valuesOf(headers, 'x-hop')).toEqual([])
  })
})

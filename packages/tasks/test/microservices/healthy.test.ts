import { type Span, type Trace, traceFromSpans } from '@trimtab/trace'
import { describe, expect, it } from 'vitest'
import { healthyFrom, type InstanceTelemetry, Localiser, shortResource } from '../../src/microservices/index.js'

/** A request of 10 ms to the front, which calls the cart and, at once, the price; the cart's part may take longer. */
function request(number: number, { wayMs = 2, workMs = 6 } = {}): Trace {
  const call = (id: string, callee: string, ms: { wayMs: number; workMs: number }): Span[] => {
    const [client, server] = [`${id}c`, `${id}s`]
    const total = 1000 * (ms.wayMs + ms.workMs)
    return [
      {
        ...{ id: client, parentId: 'root', service: 'front', instance: 'front-0', operation: `${callee}/read` },
        kind: 'client',
        startUs: 1000,
        durationUs: total,
      },
      {
        ...{ id: server, parentId: client, service: callee, instance: `${callee}-0`, operation: `${callee}/read` },
        kind: 'server',
        startUs: 1000 + 500 * ms.wayMs,
        durationUs: 1000 * ms.workMs,
      },
    ]
  }
  const root: Span = {
    id: 'root',
    traceId: `${number}`,
    service: 'front',
    instance: 'front-0',
    operation: 'front/browse',
    kind: 'server',
    startUs: 0,
    durationUs: 1000 * (2 + Math.max(8, wayMs + workMs)),
  }
  return traceFromSpans([root, ...call('a', 'cart', { wayMs, workMs }), ...call('b', 'price', { wayMs: 2, workMs: 5 })])
}

const many = (times: Parameters<typeof request>[1] = {}): Trace[] =>
  Array.from({ length: 40 }, (_, i) => request(i, times))

describe('an application that was watched while all was well', () => {
  const healthy = healthyFrom(many(), 2)

  it('has SLOs of so many times its p99', () => {
    expect([...healthy.slosMs]).toEqual([['front/browse', 20]])
  })

  it('is refused without a trace', () => {
    expect(() => healthyFrom([])).toThrow(/no request was traced/)
  })

  it.each([
    ['the way to it got slower: an edge', { wayMs: 50 }, { caller: 'front', callee: 'cart', kind: 'call' }],
    ['its work did: no edge', { workMs: 50 }, undefined],
  ])('tells whom late requests waited for, where %s', (_, times, edge) => {
    const localiser = new Localiser(healthy)
    const [first, ...others] = localiser.find({ traces: many(times) })
    expect(first).toMatchObject({ service: 'cart', instance: 'cart-0' })
    expect(first!.edge).toEqual(edge)
    expect(others).toEqual([])
    localiser.dispose()
  })

  it('names nobody while all is well', () => {
    const localiser = new Localiser(healthy)
    expect(localiser.find({ traces: many() })).toEqual([])
    localiser.dispose()
  })
})

describe('what an instance is short of', () => {
  const using = (used: object): InstanceTelemetry =>
    ({
      utilisation01: { cpu: 0.3, memoryBandwidth: Number.NaN, llc: Number.NaN, diskIo: 0.1, network: 0.2, ...used },
    }) as InstanceTelemetry
  const edge = { caller: 'front', callee: 'cart', kind: 'call' } as const
  it.each([
    ['a limit that is reached, whatever got slower', { cpu: 0.95 }, { edge }, 'cpu'],
    ['the network, where the way to it got slower and no limit is reached', {}, { edge }, 'network'],
    ['what it uses most, where its work got slower', { diskIo: 0.5 }, {}, 'diskIo'],
  ])('is %s', (_, used, culprit, resource) => {
    expect(shortResource(using(used), culprit)).toBe(resource)
  })
})

import { afterEach, describe, expect, it } from 'vitest'
import { tenantOf } from '../src/tenant.js'
import { ask } from './send.js'
import { type Started, start, until } from './start.js'

let started: Started | undefined
afterEach(() => started?.close())

describe('a tenant', () => {
  it('is a hash of the API key, of whatever header carries it', () => {
    const names = [
      tenantOf({ authorization: 'Bearer sk-secret' }),
      tenantOf({ 'api-key': 'sk-secret' }),
      tenantOf({ 'x-api-key': 'sk-other' }),
      tenantOf({ 'x-team': 'search', authorization: 'Bearer sk-secret' }, 'x-team'),
    ]
    for (const name of names) expect(name).toMatch(/^[0-9a-f]{16}$/)
    expect(new Set(names).size).toBe(4)
    expect(tenantOf({ authorization: 'Bearer sk-secret' })).toBe(names[0])
    expect(tenantOf({})).toBeUndefined()
  })

  it('may let so many wait and no more, however it is named; others are not asked for it', async () => {
    started = await start({ concurrency: 1, tenantCapacity: 2 })
    const { port, scheduler, double, failures } = started
    const as = (key?: string) => (key ? { headers: { 'x-api-key': key } } : {})
    const asked = [ask(port, { double: { held: true } }, as('a'))]
    await until(() => scheduler.pending === 1)
    for (const key of ['a', 'a', 'b', undefined, undefined]) {
      asked.push(ask(port, {}, as(key)))
      await until(() => scheduler.size === asked.length - 1)
    }
    const refused = [await ask(port, {}, as('a')), await ask(port)]
    expect(refused.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
      [429, '1'],
      [429, '1'],
    ])
    expect(failures).toEqual(['tenant_queue_full', 'tenant_queue_full'])
    double.requests[0]!.release()
    for (const { status } of await Promise.all(asked)) expect(status).toBe(200)
    expect((await ask(port, {}, as('a'))).status).toBe(200)
  })

  it('that floods the queue does not make another one wait for all of it', async () => {
    for (const [fairness, place] of [
      [0, 9],
      [1, 1],
    ]) {
      started = await start({ concurrency: 1, fairness: fairness!, tenantHeader: 'X-Team' })
      const { port, double, scheduler } = started
      const asked = [ask(port, { double: { held: true } })]
      await until(() => scheduler.pending === 1)
      for (const user of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
        asked.push(ask(port, { user, content: 'expect 100' }, { headers: { 'x-team': 'flood' } }))
        await until(() => scheduler.size === user)
      }
      asked.push(ask(port, { user: 10, content: 'expect 110' }, { headers: { 'x-team': 'other' } }))
      await until(() => scheduler.size === 10)
      double.requests[0]!.release()
      await Promise.all(asked)
      const order = double.requests.slice(1).map(({ body }) => JSON.parse(body.toString()).user)
      expect(order.indexOf(10)).toBe(place)
      await started.close()
      started = undefined
    }
  })
})

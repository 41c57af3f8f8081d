import { describe, expect, it } from 'vitest'
import { WhiskClient } from '../src/index.js'
import { openStandIn } from './stand-in/index.js'

const CODE = 'const main = (params) => params'

describe('the client', () => {
  it('reads what the official one has written', async () => {
    const { official, client } = await openStandIn()
    await official.actions.update({ name: 'hello', action: CODE, limits: { memory: 512, timeout: 5000 } } as never)
    const expected = {
      name: 'hello',
      version: '0.0.1',
      limits: { memory: 512, timeout: 5000, logs: 10, concurrency: 1 },
    }
    expect(await client.actions()).toEqual([expected])
    expect(await client.action('hello')).toEqual(expected)
    expect(await client.limits()).toMatchObject({ maxActionMemory: 512, concurrentInvocations: 30 })
  })

  it('lists more actions than one answer holds', async () => {
    const { official, client } = await openStandIn()
    const names = Array.from({ length: 201 }, (_, i) => `action-${i}`)
    for (const name of names) await official.actions.update({ name, action: CODE })
    expect((await client.actions()).map(({ name }) => name).sort()).toEqual(names.sort())
  })

  it.each([429, 500, 502, 503])('asks again after HTTP %d, later each time', async (status) => {
    const { client, proxy, waitsMs } = await openStandIn()
    proxy.fault = () => (proxy.seen.length < 4 ? { status } : undefined)
    expect(await client.limits()).toHaveProperty('maxActionMemory')
    expect(waitsMs).toEqual([100, 200, 400])
  })

  it('waits as long as the server says, half a minute at most', async () => {
    const { client, proxy, waitsMs } = await openStandIn()
    const after = ['2', '3600']
    proxy.fault = () => {
      const seconds = after[proxy.seen.length - 1]
      return seconds === undefined ? undefined : { status: 429, headers: { 'retry-after': seconds } }
    }
    await client.limits()
    expect(waitsMs).toEqual([2000, 30_000])
  })

  it.each([
    [401, 'whisk_denied', 1],
    [403, 'whisk_denied', 1],
    [404, 'whisk_not_found', 1],
    [409, 'whisk_conflict', 1],
    [400, 'whisk_refused', 1],
    [429, 'whisk_throttled', 4],
    [500, 'whisk_failed', 4],
  ])('ends with HTTP %d as %s after %d tries, and says what the platform said', async (status, code, tries) => {
    const { client, proxy } = await openStandIn()
    proxy.fault = () => ({ status, body: JSON.stringify({ error: 'not today', code: 'abc' }) })
    await expect(client.limits()).rejects.toMatchObject({ code, message: expect.stringContaining('not today') })
    expect(proxy.seen).toHaveLength(tries)
  })

  it('says no password, and nothing that a terminal would obey', async () => {
    const { client, proxy } = await openStandIn()
    proxy.fault = () => ({ status: 400, body: '\u001b[31mno' })
    const error: Error = await client.limits().catch((error) => error)
    for (const unsaid of ['\u001b', '123zO3x']) expect(error.message).not.toContain(unsaid)
  })

  it.each(['<html>', '[]', '7', 'null'])('refuses %s in the place of limits', async (body) => {
    const { client, proxy } = await openStandIn()
    proxy.fault = () => ({ status: 200, body })
    await expect(client.limits()).rejects.toMatchObject({ code: 'whisk_answer_invalid' })
  })

  it('takes a call of a function that fails for one that was made', async () => {
    const { official, client, platform } = await openStandIn()
    await official.actions.update({ name: 'hello', action: CODE })
    const id = await platform.until(client.invoke('hello', { fail: true }, 1000))
    expect(await official.activations.get(id)).toMatchObject({ response: { success: false } })
    await expect(client.invoke('gone', {}, 1000)).rejects.toMatchObject({ code: 'whisk_not_found' })
  })

  it('stops waiting when it is told to', async () => {
    const { client, proxy } = await openStandIn({}, {}, { attempts: 1000 })
    const control = new AbortController()
    proxy.fault = () => {
      if (proxy.seen.length === 3) control.abort('enough')
      return { status: 503 }
    }
    await expect(client.limits(control.signal)).rejects.toBe('enough')
  })

  it('names everything that is wrong with its options', () => {
    const bad = { url: 'http://x', auth: 'secret', attempts: 0, retries: 1 }
    const make = () => new WhiskClient(bad as never)
    expect(make).toThrow(/retries is no option.*auth must be uuid:key.*attempts/s)
    expect(make).not.toThrow(/secret/)
  })
})

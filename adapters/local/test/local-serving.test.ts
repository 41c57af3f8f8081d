import { decideByRules } from '@trimtab/openwhisk'
import type { TenantRule } from '@trimtab/tasks/serverless'
import openwhisk from 'openwhisk'
import { afterEach, describe, expect, it } from 'vitest'
import { LocalServing, type LocalServingOptions } from '../src/local-serving.js'
import { StockRule } from '../src/stock-rule.js'
import { fixture, isAlive } from './start.js'

let serving: LocalServing
afterEach(() => serving.dispose())

async function start(options: Partial<LocalServingOptions> = {}) {
  const functions = [{ name: 'moods', file: fixture('moods.mjs') }]
  serving = await LocalServing.start({ functions, decider: decideByRules(() => new StockRule()), ...options })
  const { url, uuid, key } = serving
  return openwhisk({ apihost: url, api_key: `${uuid}:${key}` })
}
const pids = () => [...serving.platform.pools.values()].flatMap((pool) => pool.pids)
const annotations = (activation: { annotations?: { key: string; value: unknown }[] }) =>
  Object.fromEntries(activation.annotations!.map(({ key, value }) => [key, value]))

describe('functions on this machine, by the client of OpenWhisk', () => {
  it('are listed, invoked and recorded; the first start is cold', async () => {
    const client = await start()
    expect((await client.actions.list()).map(({ name }) => name)).toEqual(['moods'])
    const invoke = () => client.actions.invoke({ name: 'moods', blocking: true, params: { mood: 'pid' } })
    const [cold, warm] = [await invoke(), await invoke()]
    expect(annotations(cold)).toMatchObject({ waitTime: expect.any(Number), initTime: expect.any(Number) })
    expect(annotations(warm)).not.toHaveProperty('initTime')
    const { response } = await client.activations.get({ name: cold.activationId })
    expect(response).toMatchObject({ status: 'success', result: { pid: pids()[0] } })
  })

  it('are added, changed and deleted while the platform runs; the containers of what is gone end', async () => {
    const client = await start()
    const invoke = () => client.actions.invoke({ name: 'word', blocking: true, result: true })
    await client.actions.create({ name: 'word', action: 'const main = () => ({ word: 1, pid: process.pid })' })
    const first = await invoke()
    await client.actions.update({ name: 'word', action: 'const main = () => ({ word: 2, pid: process.pid })' })
    const second = await invoke()
    expect([first.word, second.word]).toEqual([1, 2])
    await expect.poll(() => isAlive(first.pid)).toBe(false)
    await client.actions.delete({ name: 'word' })
    await expect(invoke()).rejects.toMatchObject({ statusCode: 404 })
    await expect.poll(() => isAlive(second.pid)).toBe(false)
  })

  it.each([
    ['more memory than there is', { limits: { memory: 100_000 } }, 400],
    ['an archive', { action: Buffer.from('x'.repeat(100)), kind: 'nodejs:default' }, 400],
    ['another language', { action: 'print(1)', kind: 'python:3' }, 403],
  ])('that want %s are refused', async (_, what, statusCode) => {
    const client = await start()
    await expect(
      client.actions.create({ name: 'odd', action: 'const main = () => ({})', ...what }),
    ).rejects.toMatchObject({
      statusCode,
    })
  })

  it('lose no request when the platform drains, and it takes no more', async () => {
    const client = await start()
    const invoke = (milliseconds: number) =>
      client.actions.invoke({ name: 'moods', blocking: true, result: true, params: { mood: 'sleep', milliseconds } })
    const running = [invoke(300), invoke(300), invoke(300)]
    await expect.poll(() => pids().length).toBe(3)
    const drained = serving.drain()
    await expect(invoke(0)).rejects.toThrow()
    const ended = await Promise.all(running)
    await drained
    expect(ended.map(({ pid }) => isAlive(pid))).toEqual([false, false, false])
  })
})

describe('a rule', () => {
  it('decides in each step, and what it says comes into force', async () => {
    let arrivals = 0
    const rule: TenantRule = {
      name: 'two',
      beginEpisode: () => {},
      decide(_, out) {
        out.containers = 2
        out.keepAliveSeconds = 0
      },
    }
    const client = await start({
      decider: decideByRules(() => rule),
      stepSeconds: 0.05,
      onTick: ({ telemetry }) => {
        arrivals += telemetry.get('guest/moods')!.arrivals
      },
    })
    await expect.poll(() => pids().length).toBe(2)
    const { pid } = await client.actions.invoke({
      name: 'moods',
      blocking: true,
      result: true,
      params: { mood: 'pid' },
    })
    expect(pids()).toContain(pid)
    await expect.poll(() => arrivals).toBe(1)
  })

  it('that fails is reported, and functions keep what they have', async () => {
    const errors: string[] = []
    const rule: TenantRule = {
      name: 'bad',
      beginEpisode: () => {},
      decide: () => {
        throw new Error('no idea')
      },
    }
    const client = await start({
      decider: decideByRules(() => rule),
      stepSeconds: 0.02,
      onError: ({ message }) => errors.push(message),
    })
    await expect.poll(() => errors).toEqual(['no idea'])
    expect(await client.actions.invoke({ name: 'moods', blocking: true, result: true })).toEqual({})
  })
})

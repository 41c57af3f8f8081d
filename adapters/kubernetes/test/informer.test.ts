import { describe, expect, it } from 'vitest'
import { Informer, NAMESPACES, type ObjectChange, PODS } from '../src/index.js'
import { CONFIG_MAPS, type ConfigMap, configMap } from './objects.js'
import { during, open } from './opened.js'
import { SYSTEM } from './stand-in/controllers/controller.js'
import type { StandIn } from './stand-in/index.js'
import { StatusError } from './stand-in/status-error.js'

const asked = ({ seen }: StandIn, verb: string): number => seen.filter((request) => request.verb === verb).length

async function follow(options: { bookmarkMs?: number; silenceMs?: number } = {}) {
  const { standIn, client } = await open({ bookmarkMs: options.bookmarkMs ?? 10 })
  const informer = new Informer(client, CONFIG_MAPS, { namespaces: ['default'], silenceMs: options.silenceMs ?? 1000 })
  const told: string[] = []
  informer.listen({
    onChange: ({ type, object }: ObjectChange<ConfigMap>) => told.push(`${type} ${object.metadata?.name}`),
  })
  return { standIn, client, informer, told }
}

describe('an informer', () => {
  it('knows what was there, and what comes, changes and goes, by one list and one watch', async () => {
    const { standIn, client, informer, told } = await follow()
    await client.create(CONFIG_MAPS, configMap('default', 'a'))
    await client.create(CONFIG_MAPS, configMap('default', 'b'))
    expect(informer.isReady).toBe(false)
    during((signal) => informer.run(signal))
    await expect.poll(() => informer.isReady).toBe(true)
    await client.merge(CONFIG_MAPS, { namespace: 'default', name: 'a' }, { data: { x: '1' } })
    await client.delete(CONFIG_MAPS, { namespace: 'default', name: 'b' })
    await client.create(CONFIG_MAPS, configMap('default', 'c'))
    await expect.poll(() => told).toEqual(['added a', 'added b', 'modified a', 'deleted b', 'added c'])
    expect(informer.get({ namespace: 'default', name: 'a' })?.data).toEqual({ x: '1' })
    expect([...informer.values()].map(({ metadata }) => metadata?.name)).toEqual(['a', 'c'])
    expect([asked(standIn, 'list'), asked(standIn, 'watch')]).toEqual([1, 1])
  })

  it('goes on without a list where a watch was cut, and misses nothing', async () => {
    const { standIn, client, informer, told } = await follow()
    during((signal) => informer.run(signal))
    await expect.poll(() => standIn.watches.size).toBe(1)
    await client.create(CONFIG_MAPS, configMap('default', 'a'))
    await expect.poll(() => told).toEqual(['added a'])
    standIn.watches.drop()
    await client.create(CONFIG_MAPS, configMap('default', 'b'))
    await expect.poll(() => told).toEqual(['added a', 'added b'])
    expect(asked(standIn, 'list')).toBe(1)
    expect(asked(standIn, 'watch')).toBeGreaterThan(1)
  })

  it('lists again after 410, and tells what had gone meanwhile', async () => {
    const { standIn, client, informer, told } = await follow({ bookmarkMs: 60_000 })
    await client.create(CONFIG_MAPS, configMap('default', 'a'))
    during((signal) => informer.run(signal))
    await expect.poll(() => standIn.watches.size).toBe(1)
    standIn.fault = () => new StatusError(503, 'ServiceUnavailable', 'restarting')
    standIn.watches.drop()
    const kind = standIn.registry.kind('', 'v1', 'configmaps')
    standIn.registry.delete(kind, 'default', 'a')
    await standIn.registry.create(kind, 'default', configMap('default', 'b'), SYSTEM)
    standIn.registry.store.compact()
    standIn.fault = () => undefined
    await expect.poll(() => told).toEqual(['added a', 'added b', 'deleted a'])
    expect(asked(standIn, 'list')).toBe(2)
  })

  it('goes on from a bookmark although all that it has seen itself is forgotten', async () => {
    const { standIn, client, informer, told } = await follow({ bookmarkMs: 5 })
    during((signal) => informer.run(signal))
    await expect.poll(() => standIn.watches.size).toBe(1)
    await standIn.registry.create(
      standIn.registry.kind('', 'v1', 'secrets'),
      'default',
      { metadata: { name: 's' } },
      SYSTEM,
    )
    standIn.registry.store.compact() // what is watched has not changed since its list, which is forgotten now
    const before = informer.silentForMs
    await expect.poll(() => informer.silentForMs < before).toBe(true) // a bookmark came
    standIn.watches.drop()
    await client.create(CONFIG_MAPS, configMap('default', 'a'))
    await expect.poll(() => told).toEqual(['added a'])
    expect(asked(standIn, 'list')).toBe(1)
  })

  it('lists again when the server is silent, and says so', async () => {
    const { standIn, informer } = await follow({ bookmarkMs: 60_000, silenceMs: 50 })
    const failures: string[] = []
    informer.listen({ onFailure: ({ code }) => failures.push(code) })
    during((signal) => informer.run(signal))
    await expect.poll(() => asked(standIn, 'list')).toBeGreaterThan(1)
    expect(failures).toContain('api_silent')
  })

  it('keeps what it knows while the server is away, says why and how old it is, and recovers by itself', async () => {
    const { standIn, client, informer } = await follow()
    await client.create(CONFIG_MAPS, configMap('default', 'a'))
    during((signal) => informer.run(signal))
    await expect.poll(() => informer.size).toBe(1)
    standIn.fault = () => new StatusError(500, 'InternalError', 'no etcd')
    standIn.watches.drop()
    await expect.poll(() => informer.failure?.code).toBe('api_internal_error')
    expect(informer.size).toBe(1)
    standIn.fault = () => undefined
    await expect.poll(() => informer.failure).toBeUndefined()
    await expect.poll(() => informer.silentForMs).toBeLessThan(1000)
  })

  it('is well again as soon as the server takes a watch, though nothing happens', async () => {
    const { standIn, informer } = await follow({ bookmarkMs: 60_000 })
    const failures: string[] = []
    informer.listen({ onFailure: ({ code }) => failures.push(code) })
    during((signal) => informer.run(signal))
    await expect.poll(() => standIn.watches.size).toBe(1)
    standIn.watches.drop()
    await expect.poll(() => failures).toEqual(['api_broken_off'])
    await expect.poll(() => informer.failure).toBeUndefined()
  })

  it('sees an object that is no longer selected go', async () => {
    const { client } = await open()
    await client.create(CONFIG_MAPS, configMap('default', 'a', {}, { tier: 'web' }))
    const informer = new Informer(client, CONFIG_MAPS, { labelSelector: 'tier=web' })
    during((signal) => informer.run(signal))
    await expect.poll(() => informer.size).toBe(1)
    await client.merge(CONFIG_MAPS, { namespace: 'default', name: 'a' }, { metadata: { labels: { tier: 'db' } } })
    await expect.poll(() => informer.size).toBe(0)
  })

  it('follows the namespaces that it is told, each apart: what is listed anew in one leaves the other alone', async () => {
    const { standIn, client } = await open({ bookmarkMs: 60_000 })
    for (const name of ['left', 'right']) await client.create(NAMESPACES, { metadata: { name } })
    for (const namespace of ['left', 'right', 'default'])
      await client.create(CONFIG_MAPS, configMap(namespace, `of-${namespace}`))
    const informer = new Informer(client, CONFIG_MAPS, { namespaces: ['left', 'right'] })
    const names = () => [...informer.values()].map(({ metadata }) => metadata?.name).sort()
    standIn.fault = ({ namespace }) =>
      namespace === 'right' ? new StatusError(403, 'Forbidden', 'no role') : undefined
    during((signal) => informer.run(signal))
    await expect.poll(names).toEqual(['of-left'])
    await expect.poll(() => informer.failure?.code).toBe('api_forbidden')
    expect([informer.isReady, informer.silentForMs]).toEqual([false, Number.POSITIVE_INFINITY])
    standIn.fault = () => undefined
    await expect.poll(() => informer.isReady).toBe(true)
    expect([names(), informer.failure]).toEqual([['of-left', 'of-right'], undefined])
    const reads = standIn.seen.filter(({ verb }) => verb === 'list' || verb === 'watch')
    expect(new Set(reads.map(({ namespace }) => namespace))).toEqual(new Set(['left', 'right']))
  })

  it('costs no list a period: thousands of pods, hundreds of changes, one list of a few pages', async () => {
    const { standIn, client } = await open({ bookmarkMs: 10 })
    const { registry } = standIn
    const kind = registry.kind('', 'v1', 'configmaps')
    for (let number = 0; number < 2000; number++)
      await registry.create(kind, 'default', configMap('default', `m-${number}`), SYSTEM)
    const informer = new Informer(client, CONFIG_MAPS)
    during((signal) => informer.run(signal))
    await expect.poll(() => informer.size).toBe(2000)
    for (let number = 0; number < 300; number++)
      await registry.change(kind, 'default', `m-${number}`, (live) => ({ ...live, data: { n: '1' } }), SYSTEM)
    await expect.poll(() => [...informer.values()].filter(({ data }) => data?.n === '1').length).toBe(300)
    expect(standIn.seen.map(({ verb }) => verb)).toEqual(['list', 'list', 'list', 'list', 'watch'])
  })

  it('ends with its signal while nothing happens', async () => {
    const { client } = await open()
    const informer = new Informer(client, PODS)
    const ending = new AbortController()
    const running = informer.run(ending.signal)
    await expect.poll(() => informer.isReady).toBe(true)
    ending.abort()
    await running
  })
})

import { expect, it } from 'vitest'
import { Informer, type ObjectChange } from '../../src/index.js'
import { CONFIG_MAPS, type ConfigMap, configMap } from '../objects.js'
import { PATIENCE, type Server } from './server.js'

/** What a watch tells until `enough` says so. */
async function told(
  { client, namespace }: Server,
  resourceVersion: string,
  labelSelector: string,
  count: number,
): Promise<string[]> {
  const events: string[] = []
  const ending = AbortSignal.timeout(PATIENCE.timeout)
  for await (const { type, object } of client.watch(CONFIG_MAPS, {
    namespace,
    labelSelector,
    resourceVersion,
    signal: ending,
  })) {
    if (type === 'BOOKMARK') continue
    events.push(`${type} ${object.metadata?.name} ${object.data?.n ?? ''}`.trim())
    if (events.length === count) break
  }
  return events
}

export function watchContract(server: () => Server): void {
  it('tells every change after a version, once and in order', async () => {
    const { client, namespace } = server()
    const labels = { watched: 'order' }
    await client.create(CONFIG_MAPS, configMap(namespace, 'w0', {}, labels))
    const { resourceVersion } = await client.list(CONFIG_MAPS, { namespace })
    await client.create(CONFIG_MAPS, configMap(namespace, 'w1', { n: '1' }, labels))
    await client.merge(CONFIG_MAPS, { namespace, name: 'w1' }, { data: { n: '2' } })
    await client.delete(CONFIG_MAPS, { namespace, name: 'w0' })
    expect(await told(server(), resourceVersion, 'watched=order', 3)).toEqual([
      'ADDED w1 1',
      'MODIFIED w1 2',
      'DELETED w0',
    ])
  })

  it('tells that an object goes when it is no longer selected, and comes when it is again', async () => {
    const { client, namespace } = server()
    const { resourceVersion } = await client
      .create(CONFIG_MAPS, configMap(namespace, 'moving', {}, { tier: 'web' }))
      .then(({ metadata }) => metadata!)
    for (const tier of ['db', 'web'])
      await client.merge(CONFIG_MAPS, { namespace, name: 'moving' }, { metadata: { labels: { tier } } })
    expect(await told(server(), resourceVersion!, 'tier=web', 2)).toEqual(['DELETED moving', 'ADDED moving'])
  })

  it('ends a watch after the time that it was asked for', async () => {
    const { client, namespace } = server()
    const { resourceVersion } = await client.list(CONFIG_MAPS, { namespace })
    const events: string[] = []
    for await (const { type } of client.watch(CONFIG_MAPS, { namespace, resourceVersion, timeoutSeconds: 1 }))
      events.push(type)
    expect(events.filter((type) => type !== 'BOOKMARK')).toEqual([])
  })

  it('refuses a watch from a version that it has forgotten (410)', async ({ skip }) => {
    const { client, namespace, commands } = server()
    if (!commands) return skip('a real server forgets after minutes, not on command')
    const { resourceVersion } = await client.list(CONFIG_MAPS, { namespace })
    await client.create(CONFIG_MAPS, configMap(namespace, 'after'))
    commands.forget()
    await expect(told(server(), resourceVersion, '', 1)).rejects.toMatchObject({ code: 'api_expired', httpStatus: 410 })
  })

  it('can be followed by an informer', async () => {
    const { client, namespace } = server()
    const informer = new Informer(client, CONFIG_MAPS, { namespaces: [namespace], labelSelector: 'followed=yes' })
    const changes: string[] = []
    informer.listen({
      onChange: ({ type, object }: ObjectChange<ConfigMap>) => changes.push(`${type} ${object.metadata?.name}`),
    })
    const ending = new AbortController()
    const running = informer.run(ending.signal)
    await expect.poll(() => informer.isReady, PATIENCE).toBe(true)
    await client.create(CONFIG_MAPS, configMap(namespace, 'f1', {}, { followed: 'yes' }))
    await expect.poll(() => changes, PATIENCE).toEqual(['added f1'])
    await client.delete(CONFIG_MAPS, { namespace, name: 'f1' })
    await expect.poll(() => changes, PATIENCE).toEqual(['added f1', 'deleted f1'])
    ending.abort()
    await running
  })
}

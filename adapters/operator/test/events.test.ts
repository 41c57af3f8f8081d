import { MULTIDIM_POD_AUTOSCALERS, type MultidimPodAutoscaler, NAMESPACES } from '@trimtab/kubernetes'
import { describe, expect, it } from 'vitest'
import { fakeClock } from '../../kubernetes/test/fake-clock.js'
import { StatusError } from '../../kubernetes/test/stand-in/status-error.js'
import { type EventObject, Events } from '../src/index.js'
import { autoscalerOf, EVENTS, openCluster, openContext, type TestCluster } from './cluster.js'

const { signal } = new AbortController()
const SCALED = { type: 'Normal', reason: 'Scaled', message: 'replicas 2 → 3' } as const
const MINUTE = 60_000

async function openEvents() {
  const { clock, advance } = fakeClock()
  const cluster = await openCluster({ clock })
  const web = await cluster.client.create(MULTIDIM_POD_AUTOSCALERS, autoscalerOf('web'))
  return { cluster, web, advance, events: new Events(await openContext(cluster), 'updater') }
}

/** In the order of their first time: names are the server's. */
async function written({ client }: TestCluster): Promise<readonly EventObject[]> {
  const { items } = await client.list(EVENTS)
  return [...items].sort((one, other) => one.firstTimestamp.localeCompare(other.firstTimestamp))
}

describe('events', () => {
  it('say of which autoscaler what happened and why, as kubectl describe looks for them', async () => {
    const { cluster, web, events } = await openEvents()
    events.record(web, SCALED)
    await events.flush(signal)
    const { uid } = web.metadata!
    expect(await written(cluster)).toMatchObject([
      {
        metadata: { namespace: 'default', name: expect.stringMatching(/^web\../) },
        involvedObject: { kind: 'MultidimPodAutoscaler', namespace: 'default', name: 'web', uid },
        ...SCALED,
        count: 1,
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        source: { component: 'trimtab-updater' },
      },
    ])
  })

  it('that repeat within ten minutes are one that counts; later ones are another', async () => {
    const { cluster, web, events, advance } = await openEvents()
    for (const minutes of [0, 9, 9, 11]) {
      advance(minutes * MINUTE)
      events.record(web, SCALED)
      await events.flush(signal)
    }
    expect((await written(cluster)).map(({ count, lastTimestamp }) => [count, lastTimestamp])).toEqual([
      [3, '2026-01-01T00:18:00Z'],
      [1, '2026-01-01T00:29:00Z'],
    ])
  })

  it('that came while the server was away are written once it is back', async () => {
    const { cluster, web, events } = await openEvents()
    cluster.standIn.fault = ({ plural }) =>
      plural === 'events' ? new StatusError(500, 'InternalError', '') : undefined
    events.record(web, SCALED)
    await events.flush(signal)
    events.record(web, SCALED)
    cluster.standIn.fault = () => undefined
    await events.flush(signal)
    await events.flush(signal)
    expect((await written(cluster)).map(({ count }) => count)).toEqual([2])
  })

  it('are made anew where the server has let them go, and given up where it refuses them', async () => {
    const { cluster, web, events } = await openEvents()
    events.record(web, SCALED)
    await events.flush(signal)
    const [{ metadata }] = (await written(cluster)) as [EventObject]
    await cluster.client.delete(EVENTS, { namespace: 'default', name: metadata!.name! })
    events.record(web, SCALED)
    await events.flush(signal)
    expect((await written(cluster)).map(({ count }) => count)).toEqual([2])
    const gone = { ...web, metadata: { ...web.metadata, namespace: 'gone', uid: 'gone' } } as MultidimPodAutoscaler
    events.record(gone, SCALED)
    events.record(web, { ...SCALED, reason: 'Resized' })
    await events.flush(signal) // the one that is refused does not stop the other
    expect((await written(cluster)).map(({ reason }) => reason).sort()).toEqual(['Resized', 'Scaled'])
    await cluster.client.create(NAMESPACES, { metadata: { name: 'gone' } })
    await events.flush(signal)
    expect(await written(cluster)).toHaveLength(2)
  })

  it('are limited for each autoscaler: a burst of 25, then one every five minutes', async () => {
    const { cluster, web, events, advance } = await openEvents()
    const other = { ...web, metadata: { ...web.metadata, name: 'other', uid: 'other' } } as MultidimPodAutoscaler
    for (let index = 0; index < 40; index++) events.record(web, { ...SCALED, message: `${index}` })
    events.record(other, SCALED)
    await events.flush(signal)
    expect(await written(cluster)).toHaveLength(26)
    advance(5 * MINUTE)
    for (let index = 40; index < 50; index++) events.record(web, { ...SCALED, message: `${index}` })
    await events.flush(signal)
    expect(await written(cluster)).toHaveLength(27)
  })
})

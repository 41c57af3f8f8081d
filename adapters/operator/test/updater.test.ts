import { describe, expect, it } from 'vitest'
import { nowMs, openScene } from './scene.js'

describe('the updater', () => {
  it('changes nothing in mode recommend, and says so once', async () => {
    const scene = await openScene({ spec: { mode: 'recommend' } })
    await scene.passes(4, { replicas: 6, cpu: '300m' })
    expect([await scene.replicas(), await scene.acting()]).toEqual([3, 'False Recommending'])
    const own = scene.cluster.standIn.seen.filter(({ user, verb }) => user === 'administrator' && verb === 'patch')
    expect(own.filter(({ subresource }) => subresource === 'status')).toHaveLength(4 + 1) // four decisions, one condition
  })

  it('sets replicas first, by a step at most, and within the bounds', async () => {
    const scene = await openScene({ spec: { mode: 'act', bounds: { replicas: { min: 2, max: 7 } } } })
    await scene.passes(2, { replicas: 9, cpu: '120m', memory: '128Mi' })
    expect([await scene.replicas(), await scene.acting()]).toEqual([6, 'True Scaled']) // twice as many at most
    await scene.passes(1, { replicas: 9, cpu: '120m', memory: '128Mi' })
    expect(await scene.replicas()).toBe(7)
    expect(new Set(await scene.requests())).toEqual(new Set(['100m 128Mi'])) // sizes wait until it has settled
    await scene.passes(1, { replicas: 7, cpu: '120m', memory: '128Mi' })
    expect(await scene.acting()).toBe('True Settling')
    await scene.passes(2, { replicas: 1, cpu: '120m', memory: '128Mi' }, 60)
    expect(await scene.replicas()).toBe(2)
  })

  it('lets sizes follow a policy that acts in each pass, on pods that run; those that start are left to start', async () => {
    const scene = await openScene({ startUpMs: 40_000, startMs: nowMs() })
    await scene.serveWebhook()
    await scene.passes(1, { replicas: 3, cpu: '100m', memory: '128Mi', stage: 'serving' })
    for (const cpu of ['110m', '120m', '120m', '120m', '150m'])
      await scene.passes(1, { replicas: 5, cpu, memory: '128Mi', stage: 'serving' })
    expect(scene.writes().filter((write) => write.endsWith('eviction'))).toEqual([])
    expect((await scene.pods()).map(({ status }) => status?.phase)).toEqual(Array(5).fill('Running'))
    await scene.passes(2, { replicas: 5, cpu: '150m', memory: '128Mi', stage: 'serving' })
    expect([new Set(await scene.requests()), await scene.acting()]).toEqual([new Set(['150m 128Mi']), 'True UpToDate'])
  })

  it('resizes pods in place once replicas have settled, half of them in a pass, limits in proportion', async () => {
    const scene = await openScene({ replicas: 4 })
    await scene.passes(5, { replicas: 4, cpu: '140m', memory: '160Mi' })
    expect(new Set(await scene.requests())).toEqual(new Set(['100m 128Mi']))
    await scene.passes(1, { replicas: 4, cpu: '140m', memory: '160Mi' }) // decided: the webhook hears of it first
    expect([await scene.acting(), new Set(await scene.requests()).size]).toEqual(['True Resizing', 1])
    expect((await scene.autoscaler()).status?.carriedOut?.containers).toEqual([
      { name: 'main', cpu: '140m', memory: '160Mi' },
    ])
    await scene.passes(1, { replicas: 4, cpu: '140m', memory: '160Mi' })
    expect((await scene.requests()).sort()).toEqual(['100m 128Mi', '100m 128Mi', '140m 160Mi', '140m 160Mi'])
    await scene.passes(1, { replicas: 4, cpu: '140m', memory: '160Mi' })
    expect(new Set(await scene.requests())).toEqual(new Set(['140m 160Mi']))
    expect((await scene.pods())[0]!.spec!.containers[0]!.resources!.limits).toEqual({ cpu: '280m', memory: '320Mi' })
    await scene.passes(2, { replicas: 4, cpu: '140m', memory: '160Mi' })
    expect(await scene.acting()).toBe('True UpToDate')
    expect(await scene.events()).toEqual(['Resizing', 'Resized'])
  })
})

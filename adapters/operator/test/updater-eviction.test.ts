// Sizes where pods cannot be resized in place: by eviction, in clusters before 1.32.
import { disruptionBudgets } from '@trimtab/kubernetes'
import { describe, expect, it } from 'vitest'
import { nowMs, openScene, REF, type Scene } from './scene.js'
import { CONFIGURATION, CONFIGURATIONS } from './webhook.js'

const WANTED = { replicas: 4, cpu: '140m', memory: '160Mi' }
const SIZED = '140m 160Mi'
const AS_IT_WAS = '100m 128Mi'

/** Four pods that are old enough, and a decision on their size. */
async function openOld(options: Parameters<typeof openScene>[0] = {}): Promise<Scene> {
  const scene = await openScene({ replicas: 4, minor: 28, startMs: nowMs(), ...options })
  await scene.elapse(600)
  return scene
}

const count = (requests: readonly string[], size: string): number => requests.filter((one) => one === size).length

describe('an updater that evicts', () => {
  it('takes a quarter of the pods at a time, waits until all has settled, and never has fewer', async () => {
    const scene = await openOld()
    await scene.serveWebhook()
    let fewest = Number.POSITIVE_INFINITY
    const sizes: number[] = []
    for (let pass = 0; pass < 40 && sizes.at(-1) !== 4; pass++) {
      await scene.passes(1, WANTED)
      const ready = (await scene.pods()).filter(({ status }) => status?.phase === 'Running')
      fewest = Math.min(fewest, ready.length)
      sizes.push(count(await scene.requests(), SIZED))
    }
    expect(fewest).toBe(3)
    expect([...new Set(sizes)]).toEqual([0, 1, 2, 3, 4])
    await scene.passes(6, WANTED)
    expect(await scene.acting()).toBe('True UpToDate')
    expect((await scene.autoscaler()).status?.carriedOut?.working).toEqual([
      { name: 'main', cpu: '140m', memory: '160Mi' },
    ])
  })

  it('evicts nobody while the webhook is down, and says so once', async () => {
    const scene = await openOld()
    await scene.passes(12, WANTED)
    expect([await scene.acting(), await scene.requests()]).toEqual(['False WebhookDown', Array(4).fill(AS_IT_WAS)])
    expect((await scene.events()).filter((reason) => reason === 'WebhookDown')).toHaveLength(1)
    await scene.serveWebhook()
    await scene.passes(2, WANTED)
    expect(count(await scene.requests(), SIZED)).toBe(1)
    await scene.stopWebhook() // in the middle of it
    await scene.passes(12, WANTED)
    expect(await scene.acting()).toBe('False WebhookDown')
    expect(count(await scene.requests(), SIZED)).toBe(1)
  })

  it('evicts no more once a pod came back as it was', async () => {
    const scene = await openOld()
    await scene.serveWebhook()
    await scene.client.delete(CONFIGURATIONS, CONFIGURATION) // the lease is renewed by another replica, and nobody asks it
    await scene.client.create(CONFIGURATIONS, { metadata: CONFIGURATION, webhooks: [] })
    const before = new Set((await scene.pods()).map(({ metadata }) => metadata?.uid))
    await scene.passes(30, WANTED)
    const kept = (await scene.pods()).filter(({ metadata }) => before.has(metadata?.uid))
    expect([kept.length, await scene.acting()]).toEqual([3, 'False WebhookDown'])
    expect(await scene.message()).toContain('came back without it')
  })

  it('leaves the only pod alone', async () => {
    const scene = await openOld({ replicas: 1, spec: { mode: 'act', bounds: { replicas: { min: 1 } } } })
    await scene.serveWebhook()
    await scene.passes(8, { ...WANTED, replicas: 1 })
    expect([await scene.acting(), await scene.requests()]).toEqual(['False TooFewReplicas', [AS_IT_WAS]])
  })

  it('waits where a disruption budget is in the way', async () => {
    const scene = await openOld()
    await scene.serveWebhook()
    const spec = { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 0 }
    await scene.client.create(disruptionBudgets('policy/v1'), { metadata: REF, spec })
    await scene.passes(8, WANTED)
    expect([await scene.acting(), await scene.requests()]).toEqual([
      'False BudgetOfDisruptions',
      Array(4).fill(AS_IT_WAS),
    ])
    expect(await scene.message()).toContain('The disruption budget web needs 4 healthy pods')
    await scene.client.merge(disruptionBudgets('policy/v1'), REF, { spec: { maxUnavailable: 1 } })
    await scene.passes(1, WANTED)
    expect(count(await scene.requests(), SIZED)).toBe(1)
  })

  it('waits where its own schedule allows none', async () => {
    const minute = new Date(nowMs() + 600_000).getUTCMinutes()
    const schedule = `${minute} * * * *` // about when the pods are old enough, for ten minutes
    const disruptions = [{ maxUnavailable: 2 }, { maxUnavailable: 0, schedule, minutes: 10 }]
    const scene = await openOld({ spec: { mode: 'act', limits: { disruptions } } })
    await scene.serveWebhook()
    await scene.passes(8, WANTED)
    expect(await scene.acting()).toBe('False BudgetOfDisruptions')
    expect(await scene.message()).toContain(`maxUnavailable 0 for 10 min from ${schedule} UTC`)
    await scene.elapse(600)
    await scene.passes(2, WANTED)
    expect(count(await scene.requests(), SIZED)).toBe(2)
  })

  it('goes back to the size that worked where pods of the new one never get ready, and does not try again', async () => {
    const nodes = { small: { cpu: '1', memory: '670Mi' } } // room for four pods, and for one of them a little larger
    const scene = await openOld({ nodes, spec: { mode: 'act', limits: { requestsPercentPerStep: 900 } } })
    await scene.serveWebhook()
    const larger = { replicas: 4, cpu: '100m', memory: '300Mi' }
    const starved = async (): Promise<number> =>
      (await scene.pods()).filter(({ status }) => status?.phase === 'Pending').length
    let evictions = 0
    let most = 0
    for (let pass = 0; pass < 80; pass++) {
      await scene.passes(1, larger)
      most = Math.max(most, await starved())
      evictions = scene.cluster.standIn.seen.filter(({ subresource }) => subresource === 'eviction').length
    }
    expect(most).toBe(1) // one pod was without a node, and nothing else was touched meanwhile
    expect(evictions).toBe(2) // one for the new size, that one for the old one again
    expect([await starved(), await scene.requests()]).toEqual([0, Array(4).fill(AS_IT_WAS)])
    expect(await scene.acting()).toBe('False Infeasible')
    await scene.passes(8, { ...larger, memory: '150Mi' }) // less is wanted: tried
    expect((await scene.autoscaler()).status?.carriedOut?.containers).toMatchObject([{ memory: '150Mi' }])
  }, 120_000)
})

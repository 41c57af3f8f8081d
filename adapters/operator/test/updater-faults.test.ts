// What goes wrong around an updater, one fault a test: it holds, says why, and never flaps.
import {
  DEPLOYMENTS,
  type KubernetesObject,
  MULTIDIM_POD_AUTOSCALERS,
  PAUSE_ANNOTATION,
  resource,
} from '@trimtab/kubernetes'
import { describe, expect, it } from 'vitest'
import { StatusError } from '../../kubernetes/test/stand-in/status-error.js'
import { type ScalerObject, Updater } from '../src/index.js'
import { autoscalerOf } from './cluster.js'
import { openScene, REF, type Scene } from './scene.js'

const AS_IT_IS = { replicas: 3, cpu: '100m', memory: '128Mi' }
const MORE = { ...AS_IT_IS, replicas: 5 }
const HPAS = resource<ScalerObject>('autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers')
const QUOTAS = resource<KubernetesObject & { spec: object }>('v1', 'ResourceQuota', 'resourcequotas')

/** An updater that is at work, with nothing left to do. */
async function openSettled(options: Parameters<typeof openScene>[0] = {}): Promise<Scene> {
  const scene = await openScene(options)
  await scene.passes(6, { ...AS_IT_IS, replicas: options.replicas ?? 3 })
  expect(await scene.acting()).toBe('True UpToDate')
  return scene
}

describe('an updater holds, and says why,', () => {
  it('while its object is paused, with the reason that was given', async () => {
    const scene = await openSettled()
    const annotate = (reason: string | null) =>
      scene.client.merge(MULTIDIM_POD_AUTOSCALERS, REF, { metadata: { annotations: { [PAUSE_ANNOTATION]: reason } } })
    await annotate('sale')
    await scene.passes(2, MORE)
    expect([await scene.replicas(), await scene.acting()]).toEqual([3, 'False Paused'])
    expect(await scene.message()).toContain('sale')
    await annotate(null)
    await scene.passes(1, MORE)
    expect(await scene.replicas()).toBe(5)
  })

  it('when decisions stop coming, within three periods of the recommender', async () => {
    const scene = await openSettled()
    await scene.elapse(46)
    await scene.pass()
    expect(await scene.acting()).toBe('False StaleDecision')
    await scene.passes(1, MORE)
    expect([await scene.replicas(), await scene.acting()]).toEqual([5, 'True Scaled'])
  })

  it('when the recommender says that it is not ready', async () => {
    const scene = await openSettled()
    await scene.elapse(15)
    await scene.recommend(MORE, 'False')
    await scene.pass()
    expect([await scene.replicas(), await scene.acting()]).toEqual([3, 'False NotReady'])
  })

  it('when its object was edited since the decision, and keeps the new bounds at once afterwards', async () => {
    const scene = await openSettled()
    await scene.elapse(15)
    await scene.recommend(MORE)
    await scene.client.merge(MULTIDIM_POD_AUTOSCALERS, REF, { spec: { bounds: { replicas: { max: 2 } } } })
    await scene.pass()
    expect([await scene.replicas(), await scene.acting()]).toEqual([3, 'False StaleDecision'])
    await scene.passes(1, MORE)
    expect(await scene.replicas()).toBe(2) // whatever the status recommends
  })

  it('when somebody makes a HorizontalPodAutoscaler for the same workload meanwhile', async () => {
    const scene = await openSettled()
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
    await scene.client.create(HPAS, { metadata: { ...REF, name: 'rival' }, spec: { scaleTargetRef } })
    await expect.poll(() => scene.context.scalers[0]!.size).toBe(1)
    await scene.passes(2, MORE)
    expect([await scene.replicas(), await scene.acting()]).toEqual([3, 'False ScaledByAnother'])
    expect(await scene.message()).toContain('HorizontalPodAutoscaler rival')
    expect((await scene.events()).filter((reason) => reason === 'ScaledByAnother')).toHaveLength(1)
  })

  it('when two autoscalers act for one workload', async () => {
    const scene = await openSettled()
    await scene.client.create(MULTIDIM_POD_AUTOSCALERS, autoscalerOf('twin', { mode: 'act' }))
    await scene.passes(2, MORE)
    expect([await scene.replicas(), await scene.acting()]).toEqual([3, 'False ScaledByAnother'])
  })

  it('when its target is deleted, and goes on when it is back', async () => {
    const scene = await openSettled()
    const { spec } = await scene.client.get(DEPLOYMENTS, REF)
    await scene.client.delete(DEPLOYMENTS, REF)
    await scene.passes(2, MORE)
    expect(await scene.acting()).toBe('False TargetNotFound')
    await scene.client.create(DEPLOYMENTS, { metadata: REF, spec: spec! })
    await scene.passes(1, MORE)
    expect(await scene.replicas()).toBe(5)
  })

  it('when somebody has stopped the workload', async () => {
    const scene = await openSettled()
    await scene.client.setScale(DEPLOYMENTS, REF, 0)
    await scene.passes(2, MORE)
    expect([await scene.replicas(), await scene.acting()]).toEqual([0, 'False ScaledToZero'])
  })

  it('when somebody scales it between its look and its write', async () => {
    const scene = await openSettled()
    await scene.elapse(15)
    await scene.recommend(MORE)
    let isScaled = false
    scene.cluster.standIn.fault = ({ verb, subresource }) => {
      if (verb !== 'patch' || subresource !== 'scale' || isScaled) return undefined
      isScaled = true
      const { registry } = scene.cluster.standIn
      const live = registry.store.get('apps/deployments', 'default', 'web')!
      registry.store.put('apps/deployments', { ...live, spec: { ...live.spec, replicas: 4 } })
      return undefined
    }
    await scene.pass()
    expect([await scene.replicas(), await scene.acting()]).toEqual([4, 'False RequestFailed'])
    await scene.passes(1, MORE)
    expect(await scene.replicas()).toBe(5)
  })

  it.each([
    [409, 'Conflict'],
    [410, 'Gone'],
    [429, 'TooManyRequests'],
    [500, 'InternalError'],
  ])('when the server answers %i', async (code, reason) => {
    const scene = await openSettled()
    scene.cluster.standIn.fault = ({ verb, subresource }) =>
      verb === 'patch' && subresource === 'scale' ? new StatusError(code, reason, 'not now') : undefined
    await scene.passes(3, MORE)
    expect([await scene.replicas(), await scene.acting()]).toEqual([3, 'False RequestFailed'])
    expect((await scene.events()).filter((one) => one === 'RequestFailed')).toHaveLength(1)
    scene.cluster.standIn.fault = () => undefined
    await scene.passes(1, MORE)
    expect([await scene.replicas(), scene.updater.reversals]).toEqual([5, 0])
  })

  it('while it cannot follow the cluster', async () => {
    const scene = await openSettled()
    await scene.elapse(15)
    await scene.recommend(MORE)
    await scene.quiet()
    scene.cluster.standIn.fault = ({ plural, verb }) =>
      plural === 'pods' && (verb === 'watch' || verb === 'list')
        ? new StatusError(500, 'InternalError', 'no pods')
        : undefined
    scene.cluster.standIn.watches.drop()
    await expect.poll(() => scene.context.pods.failure).toBeDefined()
    await scene.updater.step(new AbortController().signal)
    expect([await scene.replicas(), await scene.acting()]).toEqual([3, 'False NotWatching'])
    scene.cluster.standIn.fault = () => undefined
    await expect.poll(() => scene.context.pods.failure).toBeUndefined()
    await scene.passes(1, MORE)
    expect(await scene.replicas()).toBe(5)
  })

  it.each([-600, 600])('never for clocks that are %i s apart', async (seconds) => {
    const scene = await openScene({}, seconds * 1000)
    await scene.passes(2, MORE)
    expect([await scene.replicas(), await scene.acting()]).toEqual([5, 'True Scaled'])
    await scene.elapse(46)
    await scene.pass()
    expect(await scene.acting()).toBe('False StaleDecision') // and old is old, whatever the clock
  })
})

describe('an updater asks for no more than there is room for:', () => {
  const quota = (scene: Scene, hard: object) =>
    scene.client.create(QUOTAS, { metadata: { ...REF, name: 'small' }, spec: { hard } })

  it('no replicas beyond a quota', async () => {
    const scene = await openSettled()
    await quota(scene, { 'requests.cpu': '450m' })
    await scene.passes(2, MORE)
    expect([await scene.replicas(), await scene.acting()]).toEqual([3, 'False QuotaExceeded'])
    expect(await scene.message()).toContain('quota small has 300m of 450m requests.cpu in use')
    await scene.passes(1, { ...AS_IT_IS, replicas: 4 })
    expect(await scene.replicas()).toBe(4)
  })

  it('no sizes beyond a quota', async () => {
    const scene = await openSettled()
    await quota(scene, { 'requests.memory': '400Mi' })
    await scene.passes(6, { ...AS_IT_IS, memory: '160Mi' })
    expect([new Set(await scene.requests()), await scene.acting()]).toEqual([
      new Set(['100m 128Mi']),
      'False QuotaExceeded',
    ])
  })

  it('no pod that fits no node', async () => {
    const nodes = { a: { cpu: '1', memory: '170Mi' }, b: { cpu: '1', memory: '170Mi' } }
    const scene = await openSettled({ nodes, replicas: 2 })
    await scene.passes(6, { replicas: 2, cpu: '100m', memory: '190Mi' })
    expect([new Set(await scene.requests()), await scene.acting()]).toEqual([
      new Set(['100m 128Mi']),
      'False Infeasible',
    ])
    expect(await scene.message()).toContain('fits no node (up to 1000m CPU and 170Mi)')
  })

  it('no size again that the kubelet called infeasible, until less is wanted', async () => {
    // Two sizes of nodes: the largest would take it, the pod's own never will.
    const nodes = { a: { cpu: '1', memory: '150Mi' }, b: { cpu: '1', memory: '4Gi' } }
    const scene = await openSettled({ nodes, replicas: 2 })
    await scene.passes(12, { replicas: 2, cpu: '100m', memory: '180Mi' })
    expect([new Set(await scene.requests()), await scene.acting()]).toEqual([
      new Set(['100m 128Mi']),
      'False Infeasible',
    ])
    expect((await scene.autoscaler()).status?.carriedOut?.refused).toEqual([
      { name: 'main', cpu: '100m', memory: '180Mi' },
    ])
    await scene.passes(8, { replicas: 2, cpu: '100m', memory: '145Mi' })
    expect([new Set(await scene.requests()), await scene.acting()]).toEqual([new Set(['100m 145Mi']), 'True UpToDate'])
  })

  it('more replicas only while pods get ready', async () => {
    const nodes = { a: { cpu: '450m', memory: '4Gi' } }
    const scene = await openSettled({ nodes })
    await scene.passes(1, MORE)
    expect(await scene.replicas()).toBe(5) // the fifth finds no node
    await scene.passes(1, { ...MORE, replicas: 6 })
    expect(await scene.replicas()).toBe(6) // it may only be slow
    await scene.passes(11, { ...MORE, replicas: 6 }, 60)
    await scene.passes(2, { ...MORE, replicas: 8 })
    expect([await scene.replicas(), await scene.acting()]).toEqual([6, 'False PodsNotReady'])
    await scene.passes(1, { ...MORE, replicas: 4 })
    expect(await scene.replicas()).toBe(4) // fewer is always a way out
  })
})

describe('an updater does not flap:', () => {
  it('changes that come back are held for a minute, counted, and limited by the hour', async () => {
    const scene = await openSettled({ spec: { mode: 'act', limits: { changesPerHour: 4 } } })
    for (let pass = 0; pass < 40; pass++) await scene.passes(1, pass % 2 === 0 ? MORE : AS_IT_IS)
    await scene.passes(1, MORE)
    expect(await scene.acting()).toBe('False TooManyChanges')
    const scalings = scene.cluster.standIn.seen.filter(
      ({ verb, subresource }) => verb === 'patch' && subresource === 'scale',
    )
    expect(scalings).toHaveLength(4)
    expect(scene.updater.reversals).toBe(3)
    expect((await scene.autoscaler()).status?.carriedOut?.changes).toHaveLength(4)
    await scene.passes(1, MORE, 3600)
    await scene.passes(1, MORE)
    expect(await scene.replicas()).toBe(5)
  })

  it('a leader that loses its lease in the middle of a pass writes nothing more', async () => {
    const scene = await openSettled()
    await scene.elapse(15)
    await scene.recommend(MORE)
    await scene.quiet()
    const term = new AbortController()
    const { standIn } = scene.cluster
    standIn.fault = ({ verb, subresource }) => {
      if (verb === 'get' && subresource === 'scale') term.abort(new Error('the lease is lost'))
      return undefined
    }
    const before = scene.writes().length
    await expect(scene.updater.step(term.signal)).rejects.toThrow('the lease is lost')
    expect(scene.writes().slice(before)).toEqual([])
    expect(await scene.replicas()).toBe(3)
  })

  it('the next leader knows what was changed, and goes on with it', async () => {
    const scene = await openSettled({ spec: { mode: 'act', limits: { changesPerHour: 2 } } })
    await scene.passes(2, { ...AS_IT_IS, cpu: '140m' }) // decided, and one of three pods resized
    const next = scene.succeededBy(new Updater(scene.context, { identity: 'b' }))
    const sizes = await next.requests()
    await next.passes(12, { ...AS_IT_IS, cpu: '140m' })
    expect([sizes.includes('100m 128Mi'), new Set(await next.requests())]).toEqual([true, new Set(['140m 128Mi'])])
    await next.passes(8, { ...AS_IT_IS, replicas: 4, cpu: '140m' })
    await next.passes(8, { ...AS_IT_IS, replicas: 5, cpu: '140m' })
    expect([await next.replicas(), await next.acting()]).toEqual([4, 'False TooManyChanges']) // one was made before
  })

  it('of two operators only one acts', async () => {
    const scene = await openScene({ updater: { lease: { leaseSeconds: 60 }, periodSeconds: 0.05 } })
    const other = new Updater(scene.context, { identity: 'b', lease: { leaseSeconds: 60 }, periodSeconds: 0.05 })
    const ending = new AbortController()
    const running = [scene.updater.run(ending.signal), other.run(ending.signal)]
    for (let decision = 0; decision < 3; decision++) {
      await scene.elapse(5)
      await scene.recommend(MORE)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    await expect.poll(() => scene.replicas()).toBe(5)
    ending.abort()
    await Promise.all(running)
    const scalings = scene.writes().filter((write) => write === 'patch deployments/scale')
    expect([scalings.length, (await scene.events()).filter((reason) => reason === 'Scaled').length]).toEqual([1, 1])
  })
})

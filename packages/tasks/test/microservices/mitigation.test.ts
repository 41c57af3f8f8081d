import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Anomaly,
  type AnomalyKind,
  byOwnQueue,
  byTraces,
  CONTINUOUS_ACTION,
  CulpritPolicy,
  encodeCulprit,
  faultFreeSlosMs,
  fitGrant,
  type InstanceTelemetry,
  Localiser,
  MICROSERVICES,
  MicroserviceEnvironment,
  mitigate,
  mitigationReward,
  nameAll,
  type Order,
  oneForEach,
  RaisedLimits,
  RESOURCES,
  type ResourceVector,
  type ServiceGraph,
  SimulatedApplication,
  type SimulatedApplicationOptions,
  TERNARY_ACTION,
  usualProfiles,
  vectorOf,
  type Window,
} from '../../src/microservices/index.js'
import { hotel } from './worlds.js'

let core: Core
let graph: ServiceGraph
let localiser: Localiser
beforeAll(async () => {
  core = await createCore()
  graph = hotel(core)
  const slos = faultFreeSlosMs(core, graph, { seed: 99, seconds: 60 })
  const slosMs = new Map(graph.requests.map(({ name }, type) => [name, slos[type]!]))
  localiser = new Localiser({ slosMs, usual: usualProfiles(core, graph, 99) })
})

const all = (amount: number): ResourceVector => vectorOf(RESOURCES.map(() => amount))
const cpuAt = (service: string, kind: AnomalyKind = 'cpu'): Anomaly => ({
  ...{ kind, target: { service, replica: 0 }, startSeconds: 8, durationSeconds: 60, intensity: 0.9 },
})
const application = (anomalies: readonly Anomaly[], options: SimulatedApplicationOptions = {}): SimulatedApplication =>
  new SimulatedApplication(core, graph, { campaign: { name: 'test', anomalies }, seed: 5, ...options })

/** The window from `second` on. */
const windowAt = (simulated: SimulatedApplication, second: number): Window => {
  for (;;) {
    const window = simulated.next()
    if (window.telemetry.fromSecond >= second) return window
  }
}

describe('the localiser', () => {
  it.each(['frontend', 'profile', 'user-mongodb', 'recommendation'])('names the stressed replica of %s', (service) => {
    const simulated = application([cpuAt(service), cpuAt(service, 'disk-io'), cpuAt(service, 'llc')])
    const [first] = localiser.find(windowAt(simulated, 10))
    expect(first?.instance).toBe(`${service}-0`)
    expect(first!.p99OverSlo).toBeGreaterThan(1)
    simulated.dispose()
  })

  it('names hardly anybody where nothing is wrong', () => {
    const simulated = application([])
    let named = 0
    for (let second = 0; second < 40; second++) named += localiser.find(simulated.next()).length > 0 ? 1 : 0
    expect(named).toBeLessThanOrEqual(4)
    simulated.dispose()
  })
})

describe('a simulated application', () => {
  it('is seen late: the window that another sees at once', () => {
    const [prompt, late] = [application([]), application([], { lagSeconds: 2 })]
    const seen = prompt.next()
    const [first, second] = [late.next(), late.next()]
    expect([first, second].map(({ telemetry }) => telemetry.fromSecond)).toEqual([5, 6])
    expect(first.telemetry).toEqual(seen.telemetry)
    expect(late.latest.fromSecond).toBe(8)
    prompt.dispose()
    late.dispose()
  })

  it('is measured with noise of its seed, and judged without', () => {
    const [exact, noisy, again] = [{}, { noise: 0.2 }, { noise: 0.2 }].map((options) => application([], options))
    const [right, wrong, same] = [exact!, noisy!, again!].map((one) => one.next().telemetry.instances)
    expect(same).toEqual(wrong)
    expect(noisy!.latest.instances).toEqual(right)
    const ratios = wrong!.map(({ busy01 }, i) => busy01 / right![i]!.busy01)
    expect(ratios.some((ratio) => Math.abs(ratio - 1) > 0.1)).toBe(true)
    for (const one of [exact, noisy, again]) one!.dispose()
  })

  it('obeys after the delay, and says what it could not do', () => {
    const nodes = [{ name: 'm', capacity: all(1e6) }]
    const simulated = application([], { nodes, actuationSeconds: 0.5 })
    const { grant, name } = simulated.next().telemetry.instances[0]!
    const asked = { ...grant, llc: 2e6, cpu: 1000, network: 2 * grant.network }
    simulated.apply([
      { kind: 'limits', instance: name, grant: asked, because: 'slo' },
      { kind: 'replace', instance: 'nobody-0', because: 'slo' },
      { kind: 'limits', instance: 'nobody-0', grant, because: 'slo' },
    ])
    expect(simulated.latest.instances[0]!.grant).toEqual(grant)
    simulated.next()
    const now = simulated.latest.instances[0]!
    expect(now.grant.network).toBe(2 * grant.network)
    expect(now.grant.cpu).toBe(Math.max(now.workers, grant.cpu)) // threads
    expect(now.grant.llc).toBeLessThan(1e6)
    expect(simulated.outcomes.map(({ done, reason }) => [done, reason])).toEqual([
      ['part', 'its machine has no more llc'],
      ['nothing', expect.stringContaining('instance')],
      ['nothing', expect.stringContaining('instance')],
    ])
    expect(simulated.outcomes[0]!.granted).toEqual({ llc: now.grant.llc })
    simulated.dispose()
  })

  it('refuses what cannot be', () => {
    expect(() => application([], { lagSeconds: 0.5, noise: -1, actuationSeconds: 1 })).toThrow(
      /lagSeconds(.|\n)*noise(.|\n)*actuationSeconds/,
    )
  })
})

it('limits fit a machine: as asked, no more than is left, never less than before for want of room', () => {
  const fit = (asked: number, most: number, current: number) =>
    fitGrant(all(asked), { most: all(most), workers: 100, current: all(current) })
  expect(fit(4, 8, 1)).toEqual({ grant: all(4), short: [] })
  expect(fit(4, 3, 1)).toEqual({ grant: all(3), short: RESOURCES })
  expect(fit(4, 1, 2)).toEqual({ grant: all(2), short: RESOURCES })
  expect(fitGrant(all(4), { most: all(8), workers: 2, current: all(1) }).grant).toEqual({ ...all(4), cpu: 2 })
})

it('raised limits hold, then fall back step by step to what was deployed', () => {
  const limits = new RaisedLimits(new Map([['a', all(10)]]), { holdSeconds: 3, release: 0.5 })
  const instance = { name: 'a-0', service: 'a' } as InstanceTelemetry
  expect(limits.set(instance, [4, 4, 4, 4, 0.5], 10)).toEqual({ ...all(40), network: 5 })
  expect(limits.release(12)).toEqual([])
  expect([13, 14, 15].map((second) => limits.release(second).map(({ grant }) => [grant.llc, grant.network]))).toEqual([
    [[20, 10]],
    [[10, 10]],
    [],
  ])
})

it('the state of a culprit is FIRM’s eight numbers, each in 0 … 1', () => {
  const now = { arrivals: 60, mix: Float64Array.of(0.5, 0.5), utilisation01: { ...all(0.25), cpu: 0.75 } }
  const before = { arrivals: 30 }
  const out = new Float32Array(8)
  encodeCulprit({ now: now as InstanceTelemetry, before: before as InstanceTelemetry, p99OverSlo: 4 }, out)
  expect([...out]).toEqual([0.25, 0.5, expect.closeTo((11 * 5 + 5) / 120), 0.75, 0.25, 0.25, 0.25, 0.25])
})

it('an action sets limits between half and eight times what was deployed', () => {
  const current = Float64Array.of(1, 1, 8, 0.5, 2)
  const continuous = Float32Array.of(-1, -0.5, 0, 0.5, 1)
  expect([...CONTINUOUS_ACTION.factors(core.math, continuous, current)]).toEqual(
    [0.5, 1, 2, 4, 8].map((x) => expect.closeTo(x, 9)),
  )
  const [keep, up, down] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ] as const
  const ternary = Float32Array.from([keep, up, up, down, down].flat())
  expect([...TERNARY_ACTION.factors(core.math, ternary, current)]).toEqual([1, 2, 8, 0.5, 1])
})

it('the reward is largest where the SLO holds and limits are used', () => {
  expect(mitigationReward(0.5, all(1))).toBe(5)
  expect(mitigationReward(2, all(0.5))).toBeCloseTo(0.7 * 0.5 * 5 + 0.3 * 2.5, 12)
})

describe('the culprit policy', () => {
  const policy = (options: Partial<ConstructorParameters<typeof CulpritPolicy>[0]> = {}): CulpritPolicy =>
    new CulpritPolicy({
      ...{ name: 'test', math: core.math, namers: [byTraces(localiser)] },
      deployed: new Map(graph.services.map(({ name, grant }) => [name, grant])),
      ...options,
    })
  const run = (decide: CulpritPolicy, anomalies: readonly Anomaly[], seconds: number): Order[][] => {
    const simulated = application(anomalies)
    const orders = Array.from({ length: seconds }, () => {
      const now = decide.decide(simulated.next())
      simulated.apply(now)
      return now
    })
    simulated.dispose()
    return orders
  }
  const disk = cpuAt('profile-mongodb', 'disk-io')

  it('raises every limit of the culprit at once, and brings them back when it is over', () => {
    const orders = run(policy(), [{ ...disk, durationSeconds: 5 }], 25).flat()
    const own = orders.filter((order) => order.kind === 'limits' && order.instance === 'profile-mongodb-0')
    const deployed = graph.services.find(({ name }) => name === 'profile-mongodb')!.grant
    const times = own.map((order) => (order.kind === 'limits' ? order.grant.diskIo / deployed.diskIo : 0))
    expect(times[0]).toBeCloseTo(8, 9)
    expect(own[0]!.because).toMatchObject({ service: 'profile-mongodb', addedShare: expect.any(Number) })
    expect(times).toContain(1)
  })

  it('replaces an instance that raised limits do not help', () => {
    const replaced = run(policy({ replaceAfterSeconds: 2 }), [cpuAt('frontend')], 15)
      .flat()
      .filter(({ kind }) => kind === 'replace')
    expect(replaced[0]).toMatchObject({ instance: 'frontend-0' })
    expect(
      run(policy(), [cpuAt('frontend')], 15)
        .flat()
        .some(({ kind }) => kind === 'replace'),
    ).toBe(false)
  })

  it('asks for a replacement once in so long, though telemetry shows the old one for a while', () => {
    const decide = policy({ replaceAfterSeconds: 2, namers: [() => [{ instance: 'frontend-0', because: 'queue' }]] })
    const simulated = application([])
    const { traces, telemetry } = simulated.next()
    const isAsked = [0, 1, 2, 3, 4, 5, 6].map((toSecond) =>
      decide
        .decide({ traces, telemetry: { ...telemetry, fromSecond: toSecond - 1, toSecond } })
        .some(({ kind }) => kind === 'replace'),
    )
    expect(isAsked).toEqual([false, false, true, false, true, false, true])
    simulated.dispose()
  })

  it('does not ask for a replacement where the load is what grew: another one would have the same to do', () => {
    let isNamed = false
    const namers = [() => (isNamed ? [{ instance: 'frontend-0', because: 'queue' as const }] : [])]
    const decide = policy({ replaceAfterSeconds: 2, namers })
    const simulated = application([])
    const { traces, telemetry } = simulated.next()
    let toSecond = 0
    const isAskedUnder = (load: number): boolean => {
      const instances = telemetry.instances.map((one) => ({ ...one, arrivals: load }))
      const window = { traces, telemetry: { ...telemetry, instances, fromSecond: toSecond, toSecond: ++toSecond } }
      return decide.decide(window).some(({ kind }) => kind === 'replace')
    }
    for (let second = 0; second < 5; second++) isAskedUnder(100)
    isNamed = true
    expect([200, 200, 200, 200, 170].map(isAskedUnder)).toEqual([false, false, false, false, false])
    expect([100, 100, 100].map(isAskedUnder)).toContain(true)
    const lasting = Array.from({ length: 40 }, () => 200)
    expect(lasting.map(isAskedUnder).indexOf(true), 'what lasts is usual in the end').toBeGreaterThan(10)
    simulated.dispose()
  })

  it('asks the estimator of the culprit’s service', () => {
    const asked: string[] = []
    const estimatorOf = oneForEach((service) => {
      asked.push(service)
      return CONTINUOUS_ACTION.keep
    })
    const orders = run(policy({ estimatorOf }), [disk], 8).flat()
    expect(asked.filter((service) => service === 'profile-mongodb')).toHaveLength(1)
    expect(orders.every((order) => order.kind !== 'limits' || order.grant.llc === grantOf(order.instance).llc)).toBe(
      true,
    )
  })

  it('follows the rule where the estimator has no answer', () => {
    const estimatorOf = () => ({
      name: 'lost',
      decide: (_: Float32Array, out: Float32Array) => void out.fill(Number.NaN),
    })
    expect(run(policy({ estimatorOf }), [disk], 8)).toEqual(run(policy(), [disk], 8))
  })

  it('runs the same around an application that takes its time', async () => {
    const simulated = application([disk])
    const seen: Order[][] = []
    const source = { next: () => Promise.resolve(simulated.next()) }
    const actuators = { apply: (orders: readonly Order[]) => Promise.resolve(simulated.apply(orders)) }
    for await (const { orders } of mitigate({ source, actuators, policy: policy() })) {
      seen.push([...orders])
      if (seen.length === 8) break
    }
    expect(seen).toEqual(run(policy(), [disk], 8))
    simulated.dispose()
    const aborted = mitigate({ source, actuators, policy: policy(), signal: AbortSignal.abort('enough') })
    await expect(aborted.next()).rejects.toBe('enough')
  })

  it('is told of queues too, once for each instance, by whoever names it first', () => {
    const simulated = application([{ ...disk, intensity: 1 }])
    const window = windowAt(simulated, 12)
    const queued = byOwnQueue(window).map(({ instance }) => instance)
    expect(queued).toContain('profile-mongodb-0')
    const named = nameAll([byTraces(localiser), byOwnQueue], window)
    expect(new Set(named.map(({ instance }) => instance)).size).toBe(named.length)
    expect(named.find(({ instance }) => instance === 'profile-mongodb-0')!.because).not.toBe('queue')
    simulated.dispose()
  })
})

const grantOf = (instance: string): ResourceVector =>
  graph.services.find(({ name }) => instance.replace(/-\d+$/, '') === name)!.grant

describe('the task', () => {
  it('leaves an agent of one service its own culprits only', () => {
    const service = 'profile-mongodb'
    const [all, own] = [undefined, service].map(
      (only) => new MicroserviceEnvironment(core, graph, { action: CONTINUOUS_ACTION, ...(only && { service: only }) }),
    )
    const secondsOf = (world: MicroserviceEnvironment): number => {
      world.reset(3)
      const up = new Float32Array(5).fill(1)
      return Array.from({ length: 5 }, () => world.step(up).info.second!).at(-1)!
    }
    expect(secondsOf(own!)).toBeGreaterThan(secondsOf(all!))
    for (const world of [all, own]) world!.dispose()
  })

  it('refuses a service that the application does not have', () => {
    expect(() => MICROSERVICES.environment(core, { number: 2, service: 'nobody' })).toThrow(/pair.service must be/)
  })
})

import { ControlLoop, servingPilot } from '@trimtab/control'
import { createCore } from '@trimtab/core'
import {
  Aimd,
  type Allocation,
  type AllocationBounds,
  LogarithmicView,
  RELATIVE_ACTION,
  RELATIVE_OBSERVATION,
  RelativeView,
  type Telemetry,
} from '@trimtab/tasks/autoscaling'
import { describe, expect, it } from 'vitest'
import { AllocatorController } from '../../src/live/arms.js'
import { LiveClusterEnvironment, type LivePeriod } from '../../src/live/live-environment.js'
import type { LoadPeriod } from '../../src/live/load-stream.js'

const core = await createCore()
const bounds: AllocationBounds = { cores: [0.125, 0.5], memoryMiB: [64, 256], replicas: [1, 4] }
const START: Allocation = { coresPerReplica: 0.25, memoryMiBPerReplica: 128, replicas: 2 }

const STEADY: LoadPeriod = {
  arrivals: 200,
  latenciesMs: new Array(200).fill(20),
  lagsMs: [0],
  failures: 0,
  lengthMs: 2000,
}

/** A cluster that does what it is told, and periods as they are told. */
function createEnvironment(
  periods: readonly Partial<LoadPeriod>[],
  options: { kills?: number; isRelative?: boolean } = {},
) {
  const brought: Allocation[] = []
  const told: LivePeriod[] = []
  const allocation = { ...START }
  const left = [...periods]
  const cluster = {
    options: { bounds } as never,
    allocation,
    get readyReplicas() {
      return allocation.replicas
    },
    startingReplicas: 0,
    async bring(wanted: Readonly<Allocation>) {
      Object.assign(allocation, wanted)
      brought.push({ ...wanted })
    },
    takeUsage: () => ({ cpuMs: 400, memoryMiB: 50, kills: options.kills ?? 0, exits: 0 }),
  }
  const environment = new LiveClusterEnvironment({
    cluster,
    load: { next: async () => ({ ...STEADY, ...left.shift() }) },
    view: options.isRelative ? new RelativeView(core.math, bounds) : new LogarithmicView(core.math, bounds),
    ...{ sloMs: 40, periodSeconds: 2, begin: async () => {}, onPeriod: (period: LivePeriod) => told.push(period) },
  })
  return { environment, brought, told }
}

describe('a live cluster as an environment', () => {
  it('observes what callers saw, what was used, and what was in force meanwhile', async () => {
    const { environment, told } = createEnvironment([
      {},
      { latenciesMs: [...new Array(198).fill(10), 35, 90], arrivals: 210 },
    ])
    await environment.reset()
    const { info, reward } = await environment.step(new Float32Array([1, 0, 1]))
    expect(environment.telemetry).toMatchObject({
      ...{
        timeSeconds: 30,
        requests: 200,
        ratePerSecond: 105,
        p99Ms: 10,
        sloMs: 40,
        usedCores: 0.2,
        usedMemoryMiB: 50,
      },
      ...{ readyReplicas: 4, startingReplicas: 0, oomKills: 0, droppedRequests: 0 },
    })
    expect(environment.telemetry.coresPerReplica).toBeCloseTo(0.5)
    expect(info).toMatchObject({ measuredViolation: 0, requestedCores: expect.closeTo(2) })
    // 0.7 · 2 for the SLO, 0.3 · (0.2 cores of 2 + 50 MiB of what was asked for): the reward of the simulator.
    expect(reward).toBeCloseTo(1.4 + 0.3 * (0.1 + 50 / environment.telemetry.memoryMiBPerReplica), 6)
    expect(told).toHaveLength(2)
  })

  it.each([
    ['lag', { lagsMs: new Array(100).fill(16) }],
    ['length', { lengthMs: 2050 }],
    ['failures', { failures: 1 }],
  ] as const)('with %s of the host neither p99 nor reward is measured: nobody learns from it', async (flaw, period) => {
    const { environment, told } = createEnvironment([period, period], { isRelative: true })
    const observation = await environment.reset()
    expect(observation[9]).toBeNaN() // log SLO over p99
    const step = await environment.step(new Float32Array(3))
    expect([told[1]!.flaw, environment.telemetry.p99Ms, step.reward]).toEqual([flaw, Number.NaN, Number.NaN])
    expect(told[1]!.p99Ms).toBe(20) // it is still told
  })

  it('takes failed requests for what a killed pod costs, and a kill for a breach', async () => {
    const { environment, told } = createEnvironment([{ failures: 9 }, { failures: 9 }], { kills: 1 })
    await environment.reset()
    const { info } = await environment.step(new Float32Array(3))
    expect([told[1]!.flaw, info.measuredViolation]).toEqual([undefined, 1])
  })

  it('is the environment of the task autoscaling: rules that stand in a simulator run unchanged', async () => {
    const { environment, brought } = createEnvironment([], { isRelative: true })
    expect([environment.observation, environment.action]).toEqual([RELATIVE_OBSERVATION, RELATIVE_ACTION])
    const rule = new Aimd(environment)
    const loop = new ControlLoop({ environment, pilot: servingPilot(rule, rule), episodes: 1, episodeSteps: 3 })
    const sources: string[] = []
    for await (const { source, failure } of loop) sources.push(failure ? String(failure) : source)
    expect(sources).toEqual(['agent', 'agent', 'agent'])
    expect(brought).toHaveLength(3)
  })

  it('brings exactly what an allocator asks for, and holds what is in force where it cannot know', async () => {
    const asked = { coresPerReplica: 0.3, memoryMiBPerReplica: 100, replicas: 3 }
    const allocator = {
      ...{ name: 'asked', reads: ['p99Ms'] as (keyof Telemetry)[], reset: () => {} },
      allocate: (_: Readonly<Telemetry>, out: Allocation) => void Object.assign(out, asked),
    }
    const { environment, brought } = createEnvironment([{}, { failures: 1 }, {}])
    const controller = new AllocatorController(environment, allocator)
    const loop = new ControlLoop({
      environment,
      pilot: servingPilot(controller, controller),
      episodes: 1,
      episodeSteps: 3,
    })
    const sources: string[] = []
    for await (const { source } of loop) sources.push(source)
    expect(sources).toEqual(['agent', 'hold', 'agent'])
    for (const allocation of brought) {
      expect(allocation.replicas).toBe(3)
      expect(allocation.coresPerReplica).toBeCloseTo(0.3, 6)
      expect(allocation.memoryMiBPerReplica).toBeCloseTo(100, 4)
    }
  })
})

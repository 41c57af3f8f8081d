import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Allocation, type ClusterOptions, ClusterSimulator } from '../../src/autoscaling/index.js'
import { appOf, flatLoad } from './worlds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const small: Allocation = { coresPerReplica: 1, memoryMiBPerReplica: 600, replicas: 4 }
const large: Allocation = { ...small, coresPerReplica: 2 }

function started(options: Partial<ClusterOptions>): ClusterSimulator {
  const simulator = new ClusterSimulator(core, appOf(['json', 'file-read']), flatLoad(0.3), options)
  simulator.reset(0, 1)
  for (let step = 0; step < 4; step++) simulator.step(small)
  return simulator
}

/** Cores of a pod, and what is paid for, step by step after a larger size is asked for. */
function cores(simulator: ClusterSimulator, steps = 4): readonly (readonly [perPod: number, paid: number])[] {
  return Array.from({ length: steps }, () => {
    simulator.step(large)
    return [simulator.telemetry.coresPerReplica, simulator.truth.requestedCores] as const
  })
}

describe('a size that is asked for', () => {
  it('is in force in the same step where pods are resized in place', () => {
    expect(cores(started({}), 2)).toEqual([
      [2, 8],
      [2, 8],
    ])
  })

  it('is in force some steps later where the cluster takes them', () => {
    expect(cores(started({ resizeSteps: 2 })).map(([perPod]) => perPod)).toEqual([1, 1, 2, 2])
  })

  it('starts new pods beside the old ones where they must be restarted, and both are paid until the new ones serve', () => {
    expect(cores(started({ resize: 'restart' }))).toEqual([
      [1, 12], // four of one core and four of two
      [1, 12],
      [2, 8],
      [2, 8],
    ])
  })

  it('stays what it was at first where pods keep their size', () => {
    expect(cores(started({ resize: 'none' })).map(([perPod]) => perPod)).toEqual([1, 1, 1, 1])
  })

  it('finds no more cores than the cluster has, and pods that do not fit are not started', () => {
    const simulator = started({ clusterCores: 6 })
    expect(cores(simulator, 1)).toEqual([[1.5, 6]])
    simulator.step({ ...small, replicas: 20 })
    expect(simulator.allocation.replicas).toBe(6)
  })
})

describe('a cluster under change', () => {
  it.each(['in-place', 'restart'] as const)('goes on elsewhere to the byte from the midst of it (%s)', (resize) => {
    const options = { resize, resizeSteps: resize === 'in-place' ? 2 : 0, memoryShrinks: false }
    const [here, there] = [started(options), started(options)]
    here.step(large)
    there.load(here.save())
    for (const simulator of [here, there]) for (let step = 0; step < 3; step++) simulator.step(large)
    expect(there.save()).toEqual(here.save())
    expect(there.telemetry.coresPerReplica).toBe(2)
  })

  it('holds on to memory where pods never give it back, until they are killed or replaced', () => {
    const [giving, keeping] = [started({}), started({ memoryShrinks: false })]
    for (const simulator of [giving, keeping]) {
      simulator.step({ ...small, replicas: 1, coresPerReplica: 4, memoryMiBPerReplica: 3000 })
      for (let step = 0; step < 8; step++) simulator.step({ ...small, replicas: 8, memoryMiBPerReplica: 3000 })
    }
    expect(giving.truth.memoryUtilisation01).toBeLessThan(keeping.truth.memoryUtilisation01)
  })
})

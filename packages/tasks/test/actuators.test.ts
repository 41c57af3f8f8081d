import { type Core, createCore, Random } from '@trimtab/core'
import { drawAction, HOLD, type Pilot, runEpisode, servingPilot } from '@trimtab/learn'
import { beforeAll, describe, expect, it } from 'vitest'
import { Aimd, AutoscalingEnvironment, generateApplication, generateLoad } from '../src/autoscaling/index.js'
import { CongestionEnvironment, generateNetwork } from '../src/congestion-control/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const autoscaling = (view: 'relative' | 'absolute' | 'logarithmic') =>
  new AutoscalingEnvironment(core, generateApplication(core, 5), generateLoad(core, 5), { view, stepsPerEpisode: 200 })

/** Acts at random; blind in every third step, where a rule that scales hard or nobody acts. */
function randomPilot(world: AutoscalingEnvironment, seed: number): Pilot {
  const random = new Random(core, seed)
  const rule = seed % 2 === 0 ? new Aimd(world) : HOLD
  return servingPilot(
    {
      name: 'random',
      decide(_observation, out) {
        drawAction(world.action, random, out)
        if (random.uniform() < 0.3) out.fill(Number.NaN)
      },
    },
    rule,
  )
}

describe.each(['relative', 'absolute', 'logarithmic'] as const)('limits in replicas and MiB, %s view', (view) => {
  it('are never left by random agents, by rules or by holding: at most 2 replicas more a step, never under 3, a fifth of the memory', () => {
    const world = autoscaling(view)
    for (let seed = 1; seed <= 6; seed++) {
      const last = { ...world.simulator.allocation }
      let isFirst = true
      const sources = new Set<string>()
      const quantityLimits = {
        replicas: { min: 3, increase: { maxStep: 2 } },
        memoryMiBPerReplica: { increase: { maxShare: 0.2 }, decrease: { maxShare: 0.2 } },
      }
      runEpisode(world, randomPilot(world, seed), {
        seed,
        guard: { quantityLimits },
        onTick({ source }) {
          const { replicas, memoryMiBPerReplica } = world.simulator.allocation
          sources.add(source)
          expect(replicas).toBeGreaterThanOrEqual(3)
          if (!isFirst) {
            expect(replicas - last.replicas).toBeLessThanOrEqual(2)
            const moved = Math.abs(memoryMiBPerReplica - last.memoryMiBPerReplica)
            expect(moved).toBeLessThanOrEqual(0.2 * last.memoryMiBPerReplica * (1 + 1e-12))
          }
          isFirst = false
          Object.assign(last, world.simulator.allocation)
        },
      })
      expect(sources.size).toBe(2)
    }
    world.dispose()
  })

  it('hold the allocation in force while the load moves on', () => {
    const world = autoscaling(view)
    world.reset(3)
    const before = { ...world.simulator.allocation }
    runEpisode(world, servingPilot(HOLD, HOLD), {
      seed: 3,
      onTick: () => expect(world.simulator.allocation).toEqual(before),
    })
    world.dispose()
  })
})

describe('limits on a sending rate', () => {
  it('keep it at or under 300 packets per second, and hold the rate itself, not its last change', () => {
    const world = new CongestionEnvironment(core, generateNetwork(core, 1))
    const faster = { name: 'faster', decide: (_: Float32Array, out: Float32Array) => void out.fill(1) }
    world.reset(1)
    const start = world.rate
    const max = 1.1 * start
    const rates: number[] = []
    runEpisode(world, servingPilot(faster, HOLD), {
      seed: 1,
      guard: { quantityLimits: { packetsPerSecond: { max } } },
      onTick: ({ info }) => rates.push(info.rate!),
    })
    expect(Math.max(...rates)).toBeCloseTo(max, 6)
    expect(Math.max(...rates)).toBeLessThanOrEqual(max * (1 + 1e-12))
    let steps = 0
    const once = {
      name: 'once',
      decide: (_: Float32Array, out: Float32Array) => void out.fill(steps++ === 0 ? 1 : Number.NaN),
    }
    runEpisode(world, servingPilot(once, HOLD), { seed: 1, onTick: ({ info }) => rates.push(info.rate!) })
    expect(rates.at(-1)).toBeCloseTo(start * (1 + world.rateStep), 6)
    world.dispose()
  })
})

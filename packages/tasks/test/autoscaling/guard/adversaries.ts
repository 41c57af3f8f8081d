// Allocators that nobody should serve: what a guard is tested against.
import { type Core, Random } from '@trimtab/core'
import type { Allocation, Allocator, GuardedAllocator, Telemetry } from '../../../src/autoscaling/index.js'

/** An allocator of one function; `guard` is the one around it, for those that know whom they play against. */
const of = (
  name: string,
  decide: (t: Readonly<Telemetry>, out: Allocation, guard: GuardedAllocator, step: number) => void,
): Adversary => {
  let step = 0
  let guard: GuardedAllocator
  return {
    name,
    reads: [],
    reset: () => {},
    meet: (met) => {
      guard = met
    },
    allocate: (t, out) => decide(t, out, guard, step++),
  }
}

export interface Adversary extends Allocator {
  meet(guard: GuardedAllocator): void
}

const set = (out: Allocation, cores: number, memory: number, replicas: number): void => {
  out.coresPerReplica = cores
  out.memoryMiBPerReplica = memory
  out.replicas = replicas
}
const smallest = (out: Allocation): void => set(out, 0.125, 128, 1)

/** A sane one: `utilisation` of the cores that are in use now, pods as large as can be. */
const sane = (t: Readonly<Telemetry>, out: Allocation, utilisation: number): void => {
  const cores = Math.max(0.3, t.usedCores / utilisation)
  const replicas = Math.ceil(cores / 4)
  set(out, cores / replicas, 1.5 * t.usedMemoryMiB, replicas)
}

export const ADVERSARIES: Record<string, (core: Core) => Adversary> = {
  smallest: () => of('smallest', (_t, out) => smallest(out)),
  largest: () => of('largest', (_t, out) => set(out, 4, 3072, 20)),
  'many tiny pods': () => of('tiny', (_t, out) => set(out, 0.125, 3072, 20)),
  'not a number': () => of('nan', (_t, out) => set(out, Number.NaN, Number.POSITIVE_INFINITY, Number.NaN)),
  random: (core) => {
    const random = new Random(core, 3, 9)
    return of('random', (_t, out) =>
      set(out, 0.125 + 3.875 * random.uniform(), 128 + 2900 * random.uniform(), 1 + random.integer(20)),
    )
  },
  'small cores only': () => of('cores', (_t, out) => set(out, 0.125, 3072, 1)),
  'small memory only': () => of('memory', (_t, out) => set(out, 4, 128, 1)),
  flapping: () => of('flapping', (_t, out, _g, i) => (i % 2 === 0 ? smallest(out) : set(out, 4, 3072, 20))),
  'flapping pods': () => of('pods', (_t, out, _g, i) => (i % 2 === 0 ? set(out, 0.3, 700, 20) : set(out, 4, 700, 1))),
  // Breaks for a step, rests with the rule until it is no longer looked at.
  'break and rest': () =>
    of('break', (_t, out, guard, i) => (i % 7 === 0 ? smallest(out) : void Object.assign(out, guard.explain().shadow))),
  // Spends all of it as fast as it can, and waits until it is full again.
  hoarder: () => {
    let isSpending = true
    return of('hoarder', (_t, out, guard) => {
      const { budgetLeftSteps, shadow } = guard.explain()
      if (budgetLeftSteps < 2) isSpending = false
      if (budgetLeftSteps > 0.97 * guard.budget.totalSteps) isSpending = true
      if (isSpending) smallest(out)
      else Object.assign(out, shadow)
    })
  },
  // Keeps the measured p99 just above the SLO, where the scatter hides it.
  needle: () => {
    let scale = 1
    return of('needle', (t, out) => {
      const ratio = t.p99Ms / t.sloMs
      if (ratio > 0) scale *= ratio > 1.04 ? 1.02 : 0.98
      scale = Math.min(3, Math.max(0.3, scale))
      sane(t, out, 0.6 / scale)
    })
  },
  // The same, in one step of five: the others look well.
  'rare needle': () => {
    let scale = 1
    return of('rare needle', (t, out, _g, i) => {
      const ratio = t.p99Ms / t.sloMs
      if (i % 5 === 1 && ratio > 0) scale = Math.min(3, Math.max(0.3, scale * (ratio > 1.1 ? 1.03 : 0.97)))
      sane(t, out, i % 5 === 0 ? 0.6 / scale : 0.45 / scale)
    })
  },
  // Good for a day and a quarter, then a quarter of it.
  shifted: () =>
    of('shifted', (t, out, _g, i) => {
      sane(t, out, 0.4)
      if (i > 7200) out.coresPerReplica /= 4
    }),
  'too hot': () => of('hot', (t, out) => sane(t, out, 0.75)),
}

import type { Agent, Controller, Space, StepInfo, Transition, UpdateReport } from '@trimtab/core'
import { discreteSpace } from '@trimtab/learn'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ControlLoop, EnvelopePilot } from '../src/index.js'
import { answersNothing, box, constant, Scripted } from './toys.js'

/** Says what it is told to, with noise on request; remembers everything. */
class FakeAgent implements Agent {
  readonly name = 'fake'
  readonly observed: Transition[] = []
  readonly asked: string[] = []
  readonly cloningWeights: number[] = []
  readonly contextSize = 0
  explorationScale = 1
  schedule = 0.3
  updates = 0
  episodes = 0
  says: readonly number[]
  noise: readonly number[]

  constructor(says: readonly number[], noise: readonly number[] = says.map(() => 0)) {
    this.says = says
    this.noise = noise
  }
  get explorationLevel(): number {
    return this.schedule * this.explorationScale
  }
  setCloningWeight(weight: number): void {
    this.cloningWeights.push(weight)
  }
  decide(_observation: Float32Array, out: Float32Array): void {
    this.asked.push('decide')
    out.set(this.says)
  }
  explore(_: Float32Array, out: Float32Array, _partition?: number, sides: readonly number[] = []): void {
    this.asked.push('explore')
    for (const [i, says] of this.says.entries()) {
      const noise = this.noise[i]!
      out[i] = says + (sides[i] ? sides[i] * Math.abs(noise) : noise)
    }
  }
  setContext(): void {}
  dispose(): void {}
  observe(t: Transition): void {
    // As a learner must: numbers that are none would poison it.
    if (![...t.action, ...(t.ruleAction ?? [])].every(Number.isFinite)) throw new Error('not finite')
    this.observed.push({ ...t, action: t.action.slice(), ...(t.ruleAction && { ruleAction: t.ruleAction.slice() }) })
  }
  update(): UpdateReport {
    return { updates: ++this.updates, skipped: 0, criticLoss: 0, actorLoss: 0, meanQ: 0 }
  }
  endEpisode(): void {
    this.episodes++
  }
  save(): Uint8Array {
    return new Uint8Array()
  }
  load(): void {}
}

const ONE = box(['a'], -1, 1)
const THREE = box(['a', 'b', 'c'], -1, 1)
const isViolation = (info: StepInfo): boolean => info.violation === 1
const seen = Float32Array.of(0)
const STEPS = 100

/** Lives through an episode of 100 steps, of which `violations` broke the SLO. */
function episode(pilot: EnvelopePilot, violations = 0, size = 1): void {
  const action = new Float32Array(size)
  for (let i = 0; i < STEPS; i++) {
    pilot.decide(seen, action)
    const transition = { observation: seen, action, reward: 1, nextObservation: seen, terminated: false }
    pilot.observe(transition, { violation: i < violations ? 1 : 0 })
  }
  pilot.endEpisode()
}

/** With one rule episode behind it: the agent acts. */
function acting(agent: Agent, options: Partial<ConstructorParameters<typeof EnvelopePilot>[3]> = {}) {
  const pilot = new EnvelopePilot(agent, constant(0), ONE, {
    isViolation,
    ruleEpisodes: 1,
    startWidth: 0.05,
    ...options,
  })
  episode(pilot)
  expect(pilot.stage).toBe('online')
  return pilot
}

// What the rule's own record of one clean episode allows in 100 steps: 1.1 of (1 violation in 500 + 100 steps) + 0.0008.
const BUDGET = ((1.1 * 1) / 600 + 0.0008) * STEPS

describe('EnvelopePilot: who acts', () => {
  it('lets the rule drive its episodes, while the agent learns from them', () => {
    const agent = new FakeAgent([1])
    const pilot = new EnvelopePilot(agent, constant(0.25), ONE, { isViolation, ruleEpisodes: 3 })
    const out = new Float32Array(1)
    for (let i = 0; i < 3; i++) {
      expect(pilot.stage).toBe('offline')
      expect(pilot.decide(seen, out)).toBe('rule')
      expect(out[0]).toBe(0.25)
      episode(pilot)
    }
    expect(agent).toMatchObject({ updates: 300, episodes: 0, asked: [] })
    expect(agent.observed.every((t) => t.action[0] === 0.25 && t.ruleAction![0] === 0.25)).toBe(true)
    expect(pilot.stage).toBe('online')
    expect(pilot.decide(seen, out)).toBe('agent')
  })

  it('tells an agent that learns from rollouts where the episodes of the rule end, too', () => {
    const agent = Object.assign(new FakeAgent([1]), { isOnPolicy: true })
    const pilot = new EnvelopePilot(agent, constant(0), ONE, { isViolation, ruleEpisodes: 2 })
    for (let i = 0; i < 3; i++) episode(pilot)
    expect(agent.episodes).toBe(3)
  })

  it('keeps every action inside the envelope on both sides, whatever agent and noise say', () => {
    const number = fc.double({ min: -1, max: 1, noNaN: true })
    const wild = fc.oneof(number, fc.double({ min: -1e9, max: 1e9, noNaN: true }))
    const triple = <T>(of: fc.Arbitrary<T>) => fc.tuple(of, of, of)
    const width = fc.double({ min: 0, max: 2, noNaN: true })
    fc.assert(
      fc.property(
        triple(number),
        triple(wild),
        triple(wild),
        width,
        width,
        (rule, says, noise, startWidth, safeWidth) => {
          const ruled: Controller = { name: 'rule', decide: (_, out) => out.set(rule) }
          const options = { isViolation, ruleEpisodes: 1, startWidth, safeWidth, safeDirection: [1, 0, -1] } as const
          const pilot = new EnvelopePilot(new FakeAgent(says, noise), ruled, THREE, options)
          pilot.endEpisode()
          const safe = Math.max(startWidth, safeWidth)
          const below = [startWidth, startWidth, safe]
          const above = [safe, startWidth, startWidth]
          for (const decide of [pilot.decide.bind(pilot), pilot.policy.decide.bind(pilot.policy)]) {
            const out = new Float32Array(3)
            decide(seen, out)
            for (const [i, value] of out.entries()) {
              expect(value).toBeGreaterThanOrEqual(rule[i]! - below[i]! - 1e-6)
              expect(value).toBeLessThanOrEqual(rule[i]! + above[i]! + 1e-6)
            }
          }
        },
      ),
    )
  })

  it('explores towards the safe side only, and on both sides where none is known', () => {
    const agent = new FakeAgent([0, 0, 0], [-0.1, -0.1, 0.1])
    const options = { isViolation, ruleEpisodes: 1, startWidth: 1, safeDirection: [1, 0, -1] } as const
    const pilot = new EnvelopePilot(agent, constant(0), THREE, options)
    pilot.endEpisode()
    const out = new Float32Array(3)
    pilot.decide(seen, out)
    expect([...out]).toEqual([0.1, -0.1, -0.1].map(Math.fround))
  })

  it('serves the averaged policy inside the same envelope, without noise', () => {
    const agent = new FakeAgent([0.02], [0.5])
    const pilot = acting(agent)
    agent.asked.length = 0
    const out = new Float32Array(1)
    pilot.policy.decide(seen, out)
    expect(agent.asked).toEqual(['decide'])
    expect(out[0]).toBe(Math.fround(0.02))
    agent.says = [0.7]
    pilot.policy.decide(seen, out)
    expect(out[0]).toBe(Math.fround(pilot.width))
  })

  it('serves the mean of what explored: one-sided noise leans to the safe side by √(2/π) deviations', () => {
    const agent = new FakeAgent([0, 0, 0])
    const options = { isViolation, ruleEpisodes: 1, startWidth: 1, safeDirection: [1, 0, -1] } as const
    const pilot = new EnvelopePilot(agent, constant(0), THREE, options)
    pilot.endEpisode()
    const out = new Float32Array(3)
    pilot.policy.decide(seen, out)
    const lean = Math.sqrt(2 / Math.PI) * agent.explorationLevel
    for (const [i, expected] of [lean, 0, -lean].entries()) expect(out[i]).toBeCloseTo(expected, 4)
  })
})

describe('EnvelopePilot: the error budget', () => {
  it('widens by `widening` after each clean episode', () => {
    const pilot = acting(new FakeAgent([0]), { widening: 0.1 })
    const widths = Array.from({ length: 3 }, () => {
      episode(pilot)
      return pilot.width
    })
    for (const [i, width] of widths.entries()) expect(width).toBeCloseTo(0.05 + 0.1 * (i + 1), 12)
  })

  it('narrows after violations, to half at the most', () => {
    const pilot = acting(new FakeAgent([0]), { widening: 0.1, credit: 1000 })
    for (let i = 0; i < 6; i++) episode(pilot)
    const wide = pilot.width
    episode(pilot, 1)
    expect(pilot.width).toBeCloseTo(Math.max(wide / 2, wide + (0.1 * (BUDGET - 1)) / BUDGET), 12)
    expect(pilot.width).toBeLessThan(wide)
    const narrower = pilot.width
    episode(pilot, 90)
    expect(pilot.width).toBeCloseTo(narrower / 2, 12)
  })

  it('stays between its start and the whole space, and its balance below five, whatever happens', () => {
    const history = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 40 })
    fc.assert(
      fc.property(history, fc.double({ min: 0, max: 2, noNaN: true }), (violations, startWidth) => {
        const pilot = new EnvelopePilot(new FakeAgent([0]), constant(0), ONE, {
          isViolation,
          ruleEpisodes: 1,
          startWidth,
          widening: 0.5,
        })
        for (const n of violations) {
          episode(pilot, n)
          expect(pilot.width).toBeGreaterThanOrEqual(startWidth)
          expect(pilot.width).toBeLessThanOrEqual(2)
          expect(pilot.balance).toBeLessThanOrEqual(5)
        }
      }),
    )
  })

  it('hands over to the rule in debt beyond the credit, until its clean steps have paid', () => {
    const pilot = acting(new FakeAgent([0]), { credit: 2 })
    episode(pilot, 4) // balance 2 + budget − 4: in debt, inside the credit
    expect(pilot.balance).toBeCloseTo(-2 + BUDGET, 12)
    expect(pilot.stage).toBe('online')
    episode(pilot, 1)
    expect(pilot.balance).toBeLessThan(-2)
    expect(pilot.stage).toBe('offline')
    let paid = 0
    for (; pilot.stage === 'offline'; paid++) episode(pilot)
    expect(pilot.balance).toBeGreaterThanOrEqual(-2)
    expect(paid).toBeGreaterThanOrEqual(2) // 1 − 2 budgets of at most 0.26 each
    expect(paid).toBeLessThanOrEqual(5)
  })

  it("does not charge the rule's own violations, and allows the agent as many", () => {
    const rude = new EnvelopePilot(new FakeAgent([0]), constant(0), ONE, {
      isViolation,
      ruleEpisodes: 2,
      startWidth: 0.05,
    })
    episode(rude, 20)
    episode(rude, 20)
    expect(rude).toMatchObject({ balance: 2, stage: 'online' })
    episode(rude, 6) // its rate: 41 in 700 steps
    expect(rude.balance).toBeCloseTo(2 + ((1.1 * 41) / 700 + 0.0008) * STEPS - 6, 12)
    expect(rude.width).toBeGreaterThan(0.05)
  })

  it('takes an episode without telemetry for no evidence at all', () => {
    const pilot = acting(new FakeAgent([0]))
    pilot.endEpisode()
    expect([pilot.width, pilot.balance, pilot.stage]).toEqual([0.05, 2, 'online'])
  })

  it('lets noise follow the width and the pull to the rule fade with it', () => {
    const agent = new FakeAgent([0])
    const pilot = acting(agent, { widening: 0.5, cloningWeight: 4 })
    expect(agent.explorationLevel).toBeCloseTo(0.1, 12) // the least there is
    expect(agent.cloningWeights.at(-1)).toBeCloseTo(4 * (1 - 0.05 / 2), 12)
    episode(pilot)
    expect(agent.explorationLevel).toBeGreaterThan(0.1)
    expect(agent.explorationLevel).toBeLessThan(0.3)
    for (let i = 0; i < 5; i++) episode(pilot)
    expect(agent.explorationLevel).toBeCloseTo(0.3, 12) // never above the agent's own schedule
    expect(agent.cloningWeights.at(-1)).toBe(0)
  })
})

describe('EnvelopePilot: what is learned', () => {
  it('passes what hindsight knows on to the agent, beside the real step and free of charge', () => {
    const agent = new FakeAgent([0])
    const hindsight = (action: Float32Array): Transition | undefined => ({
      observation: seen,
      action: Float32Array.of(action[0]! + 0.5),
      reward: -1,
      nextObservation: seen,
      terminated: false,
    })
    const pilot = acting(agent, { hindsight })
    expect(agent.observed.slice(0, 4).map((t) => [t.action[0], t.reward])).toEqual([
      [0.5, -1],
      [0, 1],
      [0.5, -1],
      [0, 1],
    ])
    expect(agent.observed).toHaveLength(200)
    expect(agent.updates).toBe(100)
    expect(pilot.balance).toBe(2)
  })

  it('learns the real step alone where hindsight has no answer', () => {
    const agent = new FakeAgent([0])
    acting(agent, { hindsight: () => undefined })
    expect(agent.observed).toHaveLength(100)
  })
})

describe('EnvelopePilot in a ControlLoop', () => {
  const run = (agent: FakeAgent, rule: Controller) => {
    const script = Array.from({ length: 5 }, () => ({}))
    const environment = new Scripted(script, box(['load'], 0, 100), box(['limit'], -1, 1))
    const pilot = new EnvelopePilot(agent, rule, ONE, { isViolation, ruleEpisodes: 1 })
    pilot.endEpisode()
    const loop = new ControlLoop({ environment, pilot })
    const fallbacks: (string | undefined)[] = []
    const summary = loop.runEpisode((tick) => fallbacks.push(tick.fallback))
    return { summary, fallbacks, applied: environment.applied.map(([limit]) => limit), pilot }
  }

  it.each([
    ['action', new FakeAgent([Number.NaN])],
    ['noise', new FakeAgent([0], [Number.NaN])],
  ])("answers an agent's NaN %s with the rule's action, and says so", (_, agent) => {
    const { summary, fallbacks, applied, pilot } = run(agent, constant(0.25))
    expect(applied).toEqual([0.25, 0.25, 0.25, 0.25])
    expect(summary.sources).toEqual({ agent: 0, rule: 4, hold: 0 })
    expect(fallbacks).toEqual(Array(4).fill('action_not_finite'))
    expect(agent.observed.every((t) => t.action[0] === 0.25)).toBe(true)
    expect(Number.isFinite(pilot.width) && Number.isFinite(pilot.balance)).toBe(true)
  })

  it('holds when the rule has no number either: no envelope, no agent', () => {
    const { summary, applied } = run(new FakeAgent([0.5]), answersNothing)
    expect(summary.sources).toEqual({ agent: 0, rule: 0, hold: 4 })
    expect(applied.every(Number.isFinite)).toBe(true)
  })

  it('keeps its seat when the rule has no answer once', () => {
    let asked = 0
    const rule: Controller = { name: 'forgetful', decide: (_, out) => void out.fill(++asked <= 2 ? Number.NaN : 0.5) }
    const { summary } = run(new FakeAgent([0.5]), rule)
    expect(summary.sources).toEqual({ agent: 3, rule: 0, hold: 1 }) // asked twice in the first step
  })
})

describe('EnvelopePilot: configuration', () => {
  it('reports every problem at once', () => {
    const make = () =>
      new EnvelopePilot(new FakeAgent([0]), constant(0), ONE, {
        isViolation,
        ruleEpisodes: 0.5,
        startWidth: 3,
        safeWidth: -1,
        widening: Number.NaN,
        rateFactor: 0,
        rateSlack: 0,
        safeDirection: [1, -1],
      })
    expect(make).toThrow(
      /ruleEpisodes.*got 0\.5; startWidth.*got 3; safeWidth.*got -1; widening.*got NaN; rateFactor and rateSlack.*; safeDirection must have 1 entries, got 2/,
    )
  })
})

describe('an envelope that is saved', () => {
  it('goes on where it stood, as plain JSON', () => {
    const options = { isViolation, ruleEpisodes: 1 }
    const violations = [1, 0, 0, 2, 0, 30, 0, 0]
    const whole = new EnvelopePilot(new FakeAgent([0.5]), constant(0), ONE, options)
    for (const each of violations) episode(whole, each)
    const first = new EnvelopePilot(new FakeAgent([0.5]), constant(0), ONE, options)
    for (const each of violations.slice(0, 4)) episode(first, each)
    const state = JSON.parse(JSON.stringify(first.save()))
    const rest = new EnvelopePilot(new FakeAgent([0.5]), constant(0), ONE, options, state)
    for (const each of violations.slice(4)) episode(rest, each)
    expect(rest.save()).toEqual(whole.save())
    expect([rest.stage, rest.width, rest.balance]).toEqual([whole.stage, whole.width, whole.balance])
  })

  it('drives an agent without a pull towards the rule', () => {
    const agent = Object.assign(new FakeAgent([0.5]), { setCloningWeight: undefined })
    const pilot = new EnvelopePilot(agent, constant(0), ONE, { isViolation, ruleEpisodes: 1 })
    episode(pilot)
    episode(pilot)
    expect(pilot.width).toBeGreaterThan(0.1)
  })
})

describe('EnvelopePilot: an agent that says how far to go from the rule', () => {
  const near = (agent: Agent, rule = constant(0.25)) =>
    new EnvelopePilot(agent, rule, ONE, { isViolation, ruleEpisodes: 1, startWidth: 0.5, reach: 0.4 })

  it('begins as the rule, and goes as far as width and reach allow', () => {
    for (const [says, applied] of [
      [0, 0.25],
      [0.3, 0.25 + 0.4 * 0.3],
      [1, 0.25 + 0.4 * 0.5], // the width binds
      [-1, 0.25 - 0.4 * 0.5],
    ] as const) {
      const pilot = near(new FakeAgent([says]))
      episode(pilot)
      const out = new Float32Array(1)
      expect(pilot.decide(seen, out)).toBe('agent')
      expect(out[0]).toBeCloseTo(applied, 6)
      pilot.policy.decide(seen, out)
      expect(out[0]).toBeCloseTo(applied, 6)
    }
  })

  it('learns deviations: of the rule 0, of what was applied its distance, pulled towards 0', () => {
    const agent = new FakeAgent([0.3])
    const pilot = near(agent)
    episode(pilot)
    episode(pilot)
    expect(agent.observed).toHaveLength(2 * STEPS)
    expect(agent.observed.slice(0, STEPS).every(({ action }) => action[0] === 0)).toBe(true)
    expect(agent.observed[STEPS]!.action[0]).toBeCloseTo(0.3, 5)
    expect(agent.observed.every(({ ruleAction }) => ruleAction![0] === 0)).toBe(true)
  })

  it('stays inside the bounds and learns what was applied there', () => {
    const agent = new FakeAgent([0.5])
    const pilot = near(agent, constant(0.9))
    episode(pilot)
    episode(pilot)
    const out = new Float32Array(1)
    pilot.decide(seen, out)
    expect(out[0]).toBe(1)
    expect(agent.observed.at(-1)!.action[0]).toBeCloseTo(0.1 / 0.4, 5)
  })

  it('does not learn what deviations cannot say: beyond reach, or from a rule without answer', () => {
    const agent = new FakeAgent([0])
    const pilot = near(agent)
    pilot.decide(seen, new Float32Array(1))
    const transition = { observation: seen, reward: 1, nextObservation: seen, terminated: false }
    pilot.observe({ ...transition, action: Float32Array.of(0.9) }, {})
    expect(agent.observed).toHaveLength(0)
    const blind = near(agent, answersNothing)
    blind.decide(seen, new Float32Array(1))
    blind.observe({ ...transition, action: Float32Array.of(0) }, {})
    expect(agent.observed).toHaveLength(0)
  })

  it('refuses a reach that is none, and actions that are not a box of [−1, 1]', () => {
    const make = (reach: number, action: Space) => () =>
      new EnvelopePilot(new FakeAgent([0]), constant(0), action, { isViolation, reach })
    expect(make(0, ONE)).toThrow(/reach must be above 0/)
    expect(make(0.5, box(['a'], 0, 1))).toThrow(/reach needs an action/)
    expect(make(0.5, discreteSpace('level', 3))).toThrow(/reach needs an action/)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ControlLoop,
  type ControlLoopOptions,
  MemoryTrajectoryStore,
  rulePilot,
  servingPilot,
  type Tick,
} from '../src/index.js'
import {
  answersNothing,
  constant,
  controller,
  FakeClock,
  Live,
  RecordingLogger,
  RecordingPilot,
  Scripted,
  Tank,
} from './toys.js'

async function ticksOf(loop: ControlLoop): Promise<Tick[]> {
  const ticks: Tick[] = []
  for await (const tick of loop) ticks.push(tick)
  return ticks
}

/** Lets in what the level lacks. */
const proportional = controller((observation) => 0.7 - observation[0]!)

const tankLoop = (options: Partial<ControlLoopOptions> = {}): ControlLoop =>
  new ControlLoop({
    environment: new Tank(),
    pilot: rulePilot(proportional),
    episodeSteps: 20,
    episodes: 3,
    ...options,
  })

describe('ControlLoop', () => {
  it('iterates over every step of every episode', async () => {
    const ticks = await ticksOf(tankLoop())
    expect(ticks.map((tick) => [tick.episode, tick.step])).toEqual(
      [0, 1, 2].flatMap((episode) => Array.from({ length: 20 }, (_, step) => [episode, step])),
    )
  })

  it('cuts an episode at its length by truncation, never by termination', async () => {
    const ticks = await ticksOf(tankLoop({ episodes: 1 }))
    expect(ticks.map((tick) => tick.truncated)).toEqual([...Array(19).fill(false), true])
    expect(ticks.some((tick) => tick.terminated)).toBe(false)
  })

  it('gives the same ticks for the same seeds, twice', async () => {
    const [first, second] = [await ticksOf(tankLoop()), await ticksOf(tankLoop())]
    expect(second).toEqual(first)
    const other = await ticksOf(tankLoop({ seedOf: (episode) => episode + 100 }))
    expect(other).not.toEqual(first)
  })

  it('does the same whether it is iterated or run episode by episode', async () => {
    const iterated = await ticksOf(tankLoop())
    const ran: Tick[] = []
    const loop = tankLoop()
    for (let i = 0; i < 3; i++) {
      loop.runEpisode((tick) =>
        ran.push({ ...tick, observation: tick.observation.slice(), action: tick.action.slice() }),
      )
    }
    expect(ran).toEqual(iterated)
  })

  it('hands out ticks that later steps do not change', async () => {
    const ticks = await ticksOf(tankLoop({ episodes: 1 }))
    expect(new Set(ticks.map((tick) => tick.observation[0])).size).toBeGreaterThan(10)
    expect(ticks[0]!.observation[0]).toBe(0.5)
  })

  it('sums an episode up', () => {
    const loop = tankLoop()
    let reward = 0
    const summary = loop.runEpisode((tick) => {
      reward += tick.reward
    })
    expect(summary).toEqual({
      episode: 0,
      steps: 20,
      reward,
      rewardedSteps: 20,
      sources: { agent: 0, rule: 20, hold: 0 },
      terminated: false,
    })
  })

  it('shows the pilot what was seen, applied and seen next, even when the environment reuses its buffer', () => {
    const pilot = new RecordingPilot(proportional.decide, constant(0))
    tankLoop({ pilot }).runEpisode()
    expect(pilot.learned).toHaveLength(20)
    for (const [i, t] of pilot.learned.entries()) {
      expect([...t.observation]).toEqual(pilot.decidedOn[i])
      if (i + 1 < 20) expect([...t.nextObservation]).toEqual(pilot.decidedOn[i + 1])
      expect(t.action[0]).toBeCloseTo(Math.min(0.4, Math.max(0, 0.7 - t.observation[0]!)), 6)
      expect(t.terminated).toBe(false)
    }
  })

  it('learns from the action that was applied, not from the one that was wished', () => {
    const pilot = new RecordingPilot(9, constant(0))
    tankLoop({ pilot }).runEpisode()
    expect(pilot.learned[0]!.action[0]).toBeCloseTo(0.4, 6)
  })

  it('tells the pilot of a real end, and starts the next episode from a reset', () => {
    const script = [{ observation: [5] }, { observation: [6] }, { observation: [7], terminated: true }]
    const pilot = new RecordingPilot(1, constant(0))
    const loop = new ControlLoop({ environment: new Scripted(script), pilot })
    expect(loop.runEpisode().terminated).toBe(true)
    loop.runEpisode()
    expect(pilot.learned.map((t) => t.terminated)).toEqual([false, true, false, true])
    expect(pilot.decidedOn).toEqual([[5], [6], [5], [6]])
    expect(pilot.episodes.map((summary) => summary.episode)).toEqual([0, 1])
  })

  it('starts each simulated episode free of the last one’s action', () => {
    const environment = new Scripted([{}, {}, {}])
    let wish = 0
    const pilot = new RecordingPilot((_o, out) => void out.fill(wish), constant(0))
    const loop = new ControlLoop({ environment, pilot, guard: { limits: { limit: { increase: { maxStep: 1 } } } } })
    loop.runEpisode(() => {
      wish = 5
    })
    wish = 8
    loop.runEpisode()
    expect(environment.applied).toEqual([[0], [1], [8], [8]])
  })

  it('explains in the tick what the guard did', async () => {
    const environment = new Scripted([{}, { observation: [Number.NaN] }, {}, {}])
    const ticks = await ticksOf(
      new ControlLoop({ environment, pilot: new RecordingPilot(99, constant(4)), episodes: 1 }),
    )
    expect(ticks.map(({ source, fallback, clippedBy }) => ({ source, fallback, clippedBy }))).toEqual([
      { source: 'agent', fallback: undefined, clippedBy: ['bounds'] },
      { source: 'rule', fallback: 'missing', clippedBy: [] },
      { source: 'agent', fallback: undefined, clippedBy: ['bounds'] },
    ])
    expect(ticks[1]!.observation).toEqual(Float32Array.of(Number.NaN))
  })

  it('holds the last safe action when a metric is missing and the rule has no answer', async () => {
    const environment = new Scripted([{}, { observation: [Number.NaN] }, {}, {}])
    const ticks = await ticksOf(
      new ControlLoop({ environment, pilot: new RecordingPilot(6, answersNothing), episodes: 1 }),
    )
    expect(ticks.map((tick) => [tick.source, tick.action[0]])).toEqual([
      ['agent', 6],
      ['hold', 6],
      ['agent', 6],
    ])
  })

  it('teaches the agent only steps whose observations, order and reward are usable', () => {
    const script = [
      { observation: [1], observedAtMs: 0 },
      { observation: [2], observedAtMs: 10 },
      { observation: [Number.NaN], observedAtMs: 20 }, // 2 → NaN and NaN → 4 are lost
      { observation: [4], observedAtMs: 30 },
      { observation: [5], observedAtMs: 25 }, // 4 → 5 and 5 → 6 are lost
      { observation: [6], observedAtMs: 40 },
      { observation: [7], observedAtMs: 50, reward: Number.NaN }, // 6 → 7 is lost
      { observation: [8], observedAtMs: 60 },
    ]
    const pilot = new RecordingPilot(1, constant(0))
    const loop = new ControlLoop({ environment: new Scripted(script), pilot })
    const summary = loop.runEpisode()
    expect(pilot.learned.map((t) => [t.observation[0], t.nextObservation[0]])).toEqual([
      [1, 2],
      [7, 8],
    ])
    expect(summary).toMatchObject({ steps: 7, rewardedSteps: 6, sources: { agent: 5, rule: 2, hold: 0 } })
    expect(loop.fallbacks).toMatchObject({ missing: 1, out_of_order: 1, stale: 0 })
  })

  it('does not take a step for learning whose observation went stale before the decision', async () => {
    const clock = new FakeClock()
    const script = [
      { observedAtMs: 0 },
      { observation: [2], observedAtMs: 0 },
      { observation: [3], observedAtMs: 20 },
      {},
    ]
    const pilot = new RecordingPilot(1, constant(0))
    const loop = new ControlLoop({
      environment: new Scripted(script),
      pilot,
      clock,
      guard: { maxAgeMs: 5 },
      episodes: 1,
    })
    for await (const tick of loop) if (tick.step === 0) clock.nowMs = 20
    expect(pilot.learned.map((t) => t.observation[0])).toEqual([1, 3])
    expect(loop.fallbacks.stale).toBe(1)
  })

  it('never shows a number that is not finite to the agent, whatever the environment says', () => {
    const anything = fc.float()
    const step = fc.record({ observation: fc.array(anything, { minLength: 1, maxLength: 2 }), reward: anything })
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 30 }), anything, anything, (script, wish, rule) => {
        const environment = new Scripted(script)
        const pilot = new RecordingPilot(wish, constant(rule))
        const { sources, steps } = new ControlLoop({ environment, pilot }).runEpisode()
        const shown = [
          ...pilot.decidedOn.flat(),
          ...pilot.learned.flatMap((t) => [...t.observation, ...t.nextObservation, ...t.action, t.reward]),
        ]
        expect(shown.every(Number.isFinite)).toBe(true)
        expect(environment.applied.flat().every((value) => value >= 0 && value <= 10)).toBe(true)
        expect(sources.agent + sources.rule + sources.hold).toBe(steps)
      }),
    )
  })

  it('measures a decision by the injected clock, and 0 without one', async () => {
    const clock = new FakeClock()
    const pilot = new RecordingPilot((_o, out) => {
      clock.nowMs += 0.25
      out.fill(1)
    }, constant(0))
    const [tick] = await ticksOf(tankLoop({ pilot, clock, episodes: 1, episodeSteps: 1 }))
    expect(tick!.decisionMicros).toBe(250)
    const [without] = await ticksOf(tankLoop({ episodes: 1, episodeSteps: 1 }))
    expect(without!.decisionMicros).toBe(0)
  })

  it('records usable steps under the episode numbers it was told', () => {
    const store = new MemoryTrajectoryStore()
    const script = [
      { observation: [1] },
      { observation: [Number.NaN] },
      { observation: [3], reward: 2 },
      { observation: [4] },
    ]
    const pilot = servingPilot(constant(5), constant(6))
    const loop = new ControlLoop({ environment: new Scripted(script), pilot, store, firstEpisode: 7 })
    loop.runEpisode()
    expect(store.recent(9)).toEqual([
      { episode: 7, step: 0, observation: Float32Array.of(1), action: Float32Array.of(5), reward: 1 },
      { episode: 7, step: 2, observation: Float32Array.of(3), action: Float32Array.of(5), reward: 1 },
    ])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('disk full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk full'))],
  ])('goes on when the store %s, counting the steps and saying so once', async (_name, append) => {
    const store = Object.assign(new MemoryTrajectoryStore(), { append })
    const logger = new RecordingLogger()
    const loop = tankLoop({ store, logger })
    expect(await ticksOf(loop)).toHaveLength(60)
    expect(loop.storeFailures).toBe(60)
    expect(logger.lines).toEqual(['error trajectory store failed; the loop goes on without recording'])
  })

  it('goes on when the store never answers, after having waited for it once, and says so', async () => {
    const append = () => new Promise<void>(() => {})
    const store = Object.assign(new MemoryTrajectoryStore(), { append })
    const logger = new RecordingLogger()
    const waits: number[] = []
    const sleep = async (milliseconds: number) => void waits.push(milliseconds)
    expect(await ticksOf(tankLoop({ store, logger, sleep }))).toHaveLength(60)
    expect(waits).toEqual([1000])
    expect(logger.lines).toEqual(['warn trajectory store does not answer; the loop no longer waits for it'])
  })

  it('does not let a store that never answers hold it past an abort', async () => {
    const stop = new AbortController()
    const append = () => {
      queueMicrotask(() => stop.abort())
      return new Promise<void>(() => {})
    }
    const store = Object.assign(new MemoryTrajectoryStore(), { append })
    const ticks = await ticksOf(tankLoop({ store, signal: stop.signal, sleep: () => new Promise(() => {}) }))
    expect(ticks).toHaveLength(1)
  })

  it('waits for a store that is slow, so that nothing is lost', async () => {
    let written = 0
    let owed = 0
    let mostOwed = 0
    const append = async () => {
      mostOwed = Math.max(mostOwed, ++owed)
      await new Promise((resolve) => setImmediate(resolve))
      owed--
      written++
    }
    const store = Object.assign(new MemoryTrajectoryStore(), { append })
    await ticksOf(tankLoop({ store, sleep: () => new Promise(() => {}) }))
    expect([written, mostOwed]).toEqual([60, 1])
  })

  it('stops handing steps to a store that owes ten thousand answers', () => {
    let appended = 0
    const append = () => {
      appended++
      return new Promise<void>(() => {})
    }
    const store = Object.assign(new MemoryTrajectoryStore(), { append })
    const loop = tankLoop({ store, episodeSteps: 10_050 })
    loop.runEpisode()
    expect([appended, loop.storeFailures]).toEqual([10_000, 50])
  })

  it.each([
    ['step', { step: () => undefined }, 'a step must be an object, got undefined'],
    ['step', { step: () => ({ observation: Float32Array.of(1), reward: 1 }) }, 'terminated must be true or false'],
    ['reset', { reset: () => [0.5] }, 'observation must be a Float32Array, got Array'],
  ])('says what is wrong with a %s of a simulator that answers nonsense', (_name, broken, fault) => {
    const environment = Object.assign(new Tank(), broken) as unknown as Tank
    expect(() => tankLoop({ environment }).runEpisode()).toThrow(
      expect.objectContaining({ code: 'step_invalid', message: expect.stringContaining(fault) }),
    )
  })

  it('ends the iteration when the signal aborts, without ending the episode', async () => {
    const stop = new AbortController()
    const pilot = new RecordingPilot(0.1, constant(0))
    let ticks = 0
    for await (const tick of tankLoop({ pilot, signal: stop.signal })) {
      ticks++
      if (tick.step === 4) stop.abort()
    }
    expect(ticks).toBe(5)
    expect(pilot.episodes).toEqual([])
  })

  it('throws the signal’s reason out of runEpisode, which has no summary to return', () => {
    const stop = new AbortController()
    const loop = tankLoop({ signal: stop.signal })
    expect(() => loop.runEpisode((tick) => void (tick.step === 4 && stop.abort(new Error('enough'))))).toThrow('enough')
  })

  it('can be left and entered again at an episode’s start', async () => {
    const loop = tankLoop()
    for await (const tick of loop) if (tick.step === 3) break
    const [first] = await ticksOf(loop)
    expect([first!.episode, first!.step]).toEqual([0, 0])
  })

  it('refuses to be iterated twice at once', async () => {
    const loop = tankLoop()
    const first = loop[Symbol.asyncIterator]()
    await first.next()
    await expect(loop[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'loop_running' })
    expect(() => loop.runEpisode()).toThrow(expect.objectContaining({ code: 'loop_running' }))
  })

  it('refuses to run after dispose, which may be called twice', () => {
    const loop = tankLoop()
    loop.dispose()
    loop.dispose()
    expect(() => loop.runEpisode()).toThrow(expect.objectContaining({ code: 'loop_disposed' }))
  })

  it('refuses to run a live system synchronously', () => {
    const loop = new ControlLoop({ environment: new Live([]), pilot: rulePilot(constant(1)) })
    expect(() => loop.runEpisode()).toThrow(expect.objectContaining({ code: 'environment_is_live' }))
  })

  it('lets the errors of a simulator through: they are bugs, not weather', () => {
    const environment = Object.assign(new Tank(), {
      step() {
        throw new Error('bug')
      },
    })
    expect(() => tankLoop({ environment }).runEpisode()).toThrow('bug')
  })

  it('reports every problem of its options at once', () => {
    const misspelt = { episodeSteps: 0, episodes: 1.5, firstEpisode: -1, maxSteps: 3 } as Partial<ControlLoopOptions>
    expect(() => tankLoop(misspelt)).toThrow(
      /options\.maxSteps is no option; there are environment, .*; episodeSteps must be a whole number >= 1, got 0; episodes must be .* got 1.5; firstEpisode must be .* got -1/,
    )
  })
})

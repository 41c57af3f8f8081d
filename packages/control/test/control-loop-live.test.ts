import type { Step } from '@trimtab/core'
import { describe, expect, it, vi } from 'vitest'
import { ControlLoop, type ControlLoopOptions, type Tick } from '../src/index.js'
import { answers, answersNothing, constant, Live, RecordingLogger, RecordingPilot, stepOf } from './toys.js'

const refuses = () => Promise.reject(new Error('connection refused'))
const hangs = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
const ignoresItsSignal = () => new Promise<never>(() => {})

const noSleep = () => Promise.resolve()

async function run(environment: Live, steps: number, options: Partial<ControlLoopOptions> = {}) {
  const pilot = new RecordingPilot(6, constant(3))
  const logger = new RecordingLogger()
  const loop = new ControlLoop({
    environment,
    pilot,
    logger,
    episodes: 1,
    episodeSteps: steps,
    sleep: noSleep,
    ...options,
  })
  const ticks: Tick[] = []
  for await (const tick of loop) ticks.push(tick)
  const said = ticks.map(({ source, fallback, reward, failure }) => ({
    source,
    fallback,
    reward,
    failed: failure !== undefined,
  }))
  return { loop, pilot, logger, ticks, said }
}

describe('ControlLoop on a live system', () => {
  it('runs as it does on a simulator', async () => {
    const environment = new Live([answers(2), answers(3)])
    const { ticks, pilot } = await run(environment, 2)
    expect(ticks.map((tick) => tick.observation[0])).toEqual([1, 2])
    expect(environment.applied).toEqual([6, 6])
    expect(pilot.learned.map((t) => [t.observation[0], t.nextObservation[0]])).toEqual([
      [1, 2],
      [2, 3],
    ])
  })

  it('survives a step that fails: nothing is known after it, the rule decides, and both ends are said once', async () => {
    const { said, pilot, logger, loop } = await run(new Live([answers(2), refuses, refuses, answers(5), answers(6)]), 5)
    expect(said).toEqual([
      { source: 'agent', fallback: undefined, reward: 1, failed: false },
      { source: 'agent', fallback: undefined, reward: Number.NaN, failed: true },
      { source: 'rule', fallback: 'environment_failed', reward: Number.NaN, failed: true },
      { source: 'rule', fallback: 'environment_failed', reward: 1, failed: false },
      { source: 'agent', fallback: undefined, reward: 1, failed: false },
    ])
    expect(logger.lines).toEqual(['warn the environment does not answer', 'info the environment answers again'])
    expect(loop.environmentFailures).toBe(2)
    expect(pilot.learned.map((t) => [t.observation[0], t.nextObservation[0]])).toEqual([
      [1, 2],
      [5, 6],
    ])
  })

  it('holds the last safe action through an outage when the rule needs metrics too', async () => {
    const pilot = new RecordingPilot(6, answersNothing)
    const { ticks } = await run(new Live([answers(2), refuses, refuses, answers(3)]), 4, { pilot })
    expect(ticks.map((tick) => [tick.source, tick.action[0]])).toEqual([
      ['agent', 6],
      ['agent', 6],
      ['hold', 6],
      ['hold', 6],
    ])
  })

  it('keeps what was seen in the tick of a failed step', async () => {
    const { ticks } = await run(new Live([answers(2), refuses, answers(3)]), 3)
    expect(ticks.map((tick) => tick.observation[0])).toEqual([1, 2, Number.NaN])
  })

  it('gives up a step at its deadline', async () => {
    const deadlines = [new AbortController(), new AbortController(), new AbortController()]
    let n = 0
    const environment = new Live([
      (signal) => {
        queueMicrotask(() => deadlines[1]!.abort(new Error('too late'))) // [0] was for reset
        return hangs(signal)
      },
      answers(2),
    ])
    const { said, ticks } = await run(environment, 2, { stepDeadline: () => deadlines[n++]!.signal })
    expect(said.map(({ source, fallback }) => [source, fallback])).toEqual([
      ['agent', undefined],
      ['rule', 'environment_timeout'],
    ])
    expect(ticks[0]!.failure).toEqual(new Error('too late'))
  })

  it('sends nothing to a system that ignores its signal until the old step has come back, says so and counts it', async () => {
    let inFlight = 0
    let most = 0
    let answerLate: (() => void) | undefined
    const slow = () => {
      most = Math.max(most, ++inFlight)
      return new Promise<Step>((resolve) => {
        answerLate = () => {
          inFlight--
          resolve(stepOf(9))
        }
      })
    }
    const quick = () => {
      most = Math.max(most, inFlight + 1)
      return Promise.resolve(stepOf(3))
    }
    const environment = new Live([slow, quick])
    let asked = 0
    const stepDeadline = () => {
      const deadline = new AbortController()
      if (asked++ > 0 && asked < 5) setImmediate(() => deadline.abort(new Error('too late')))
      if (asked === 5) queueMicrotask(() => answerLate!())
      return deadline.signal
    }
    const { ticks, loop, pilot } = await run(environment, 4, { stepDeadline })
    expect(most).toBe(1)
    expect(ticks.map((tick) => (tick.failure as { code?: string } | undefined)?.code)).toEqual([
      undefined, // the deadline's own reason
      'step_held_back',
      'step_held_back',
      undefined,
    ])
    expect(ticks.map((tick) => tick.failure !== undefined)).toEqual([true, true, true, false])
    expect(ticks.slice(1).map((tick) => tick.fallback)).toEqual(Array(3).fill('environment_timeout'))
    expect([loop.heldBackSteps, loop.environmentFailures]).toEqual([2, 3])
    expect(environment.applied).toHaveLength(2)
    expect(pilot.learned).toEqual([]) // the late answer was to a step given up
  })

  it.each([
    ['nothing', undefined, 'a step must be an object, got undefined'],
    ['a number', 3, 'a step must be an object, got 3'],
    ['no observation', { ...stepOf(1), observation: undefined }, 'observation must be a Float32Array, got undefined'],
    ['an array of numbers', { ...stepOf(1), observation: [1] }, 'observation must be a Float32Array, got Array'],
    [
      'no reward',
      { ...stepOf(1), reward: undefined },
      'reward must be a number (NaN when not measured), got undefined',
    ],
    ['a reward in words', { ...stepOf(1), reward: '1' }, 'reward must be a number (NaN when not measured), got 1'],
    [
      'no word whether it ended',
      { ...stepOf(1), terminated: undefined },
      'terminated must be true or false, got undefined',
    ],
    ['info that is none', { ...stepOf(1), info: 7 }, 'info must be an object, got 7'],
  ])('takes a step that resolves with %s for a failed one', async (_name, answer, fault) => {
    const environment = new Live([answers(2), () => Promise.resolve(answer as unknown as Step), answers(4)])
    const { said, ticks, loop } = await run(environment, 3)
    expect(said.map(({ fallback, failed }) => [fallback, failed])).toEqual([
      [undefined, false],
      [undefined, true],
      ['environment_failed', false],
    ])
    expect(ticks[1]!.failure).toMatchObject({ code: 'step_unusable', message: expect.stringContaining(fault) })
    expect(loop.environmentFailures).toBe(1)
  })

  it('takes a step without info or truncated, and one that is no promise, as it stands', async () => {
    const bare = { observation: Float32Array.of(2), reward: 1, terminated: false }
    const environment = new Live([() => Promise.resolve(bare as Step), () => stepOf(3) as unknown as Promise<Step>])
    const { said, ticks } = await run(environment, 2)
    expect(said.every(({ failed }) => !failed)).toBe(true)
    expect(ticks[0]).toMatchObject({ info: {}, truncated: false })
  })

  it('takes a later reset that resolves with nothing for a failed one, and a first one for a reason to stop', async () => {
    let resets = 0
    const nothing = () => Promise.resolve(undefined as unknown as Float32Array)
    const environment = new Live([answers(2), answers(3)], () =>
      resets++ === 0 ? Promise.resolve(Float32Array.of(1)) : nothing(),
    )
    const { said } = await run(environment, 1, { episodes: 2 })
    expect(said.map(({ fallback }) => fallback)).toEqual([undefined, 'environment_failed'])
    await expect(run(new Live([], nothing), 1)).rejects.toMatchObject({ code: 'step_unusable' })
  })

  it('survives a step that throws before it returns a promise, and leaves no listener behind', async () => {
    const throws = () => {
      throw new Error('not connected')
    }
    const { said } = await run(new Live([answers(2), throws, answers(3)]), 3)
    expect(said.map(({ failed }) => failed)).toEqual([false, true, false])
  })

  it('waits by the host’s timer against a system that refuses at once, though nobody gave it one', async () => {
    vi.useFakeTimers()
    try {
      const environment = new Live(Array(100).fill(refuses))
      const stop = new AbortController()
      const loop = new ControlLoop({ environment, pilot: new RecordingPilot(6, constant(3)), signal: stop.signal })
      const ran = (async () => {
        for await (const _ of loop);
      })()
      await vi.advanceTimersByTimeAsync(4000)
      expect(environment.applied).toHaveLength(6) // at 0, 0.1, 0.3, 0.7, 1.5 and 3.1 s
      await vi.advanceTimersByTimeAsync(600_000)
      expect(environment.applied.length).toBeGreaterThan(20)
      expect(environment.applied.length).toBeLessThan(32)
      stop.abort()
      await ran
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('ends at once when it is aborted in the middle of a step', async () => {
    const stop = new AbortController()
    const environment = new Live([
      answers(2),
      (signal) => {
        queueMicrotask(() => stop.abort())
        return hangs(signal)
      },
    ])
    const { ticks, loop } = await run(environment, 5, { signal: stop.signal })
    expect(ticks).toHaveLength(1)
    expect(loop.environmentFailures).toBe(0)
  })

  it('ends at once when it is disposed in the middle of a step', async () => {
    const environment = new Live([
      (signal) => {
        queueMicrotask(() => loop.dispose())
        return hangs(signal)
      },
    ])
    const loop = new ControlLoop({ environment, pilot: new RecordingPilot(1, constant(1)) })
    expect(await loop[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined })
  })

  it('leaves no listener behind on a signal that outlives its steps', async () => {
    const stop = new AbortController()
    let listeners = 0
    const { addEventListener, removeEventListener } = stop.signal
    stop.signal.addEventListener = (...parameters: Parameters<typeof addEventListener>) => {
      listeners++
      addEventListener.apply(stop.signal, parameters)
    }
    stop.signal.removeEventListener = (...parameters: Parameters<typeof removeEventListener>) => {
      listeners--
      removeEventListener.apply(stop.signal, parameters)
    }
    const environment = new Live([answers(1), refuses, answers(2)])
    await run(environment, 3, { signal: stop.signal, sleep: () => Promise.resolve() })
    expect(listeners).toBe(0)
  })

  it('waits between failed steps, twice as long for each in a row', async () => {
    const waits: number[] = []
    const sleep = async (milliseconds: number) => void waits.push(milliseconds)
    await run(new Live([refuses, refuses, answers(2), refuses, answers(3)]), 5, { sleep })
    expect(waits).toEqual([100, 200, 100])
  })

  it('stops waiting when it is aborted', async () => {
    const stop = new AbortController()
    const sleep = () => {
      queueMicrotask(() => stop.abort())
      return ignoresItsSignal()
    }
    const { ticks } = await run(new Live([refuses]), 5, { sleep, signal: stop.signal })
    expect(ticks).toHaveLength(1)
  })

  it('throws when the system cannot be reached at all: there is nothing yet to hold', async () => {
    const unreachable = new Live([], () => Promise.reject(new Error('no such host')))
    await expect(run(unreachable, 1)).rejects.toThrow('no such host')
  })

  it('goes on without an observation when a later reset fails', async () => {
    let resets = 0
    const environment = new Live([answers(2), answers(3)], () =>
      resets++ === 0 ? Promise.resolve(Float32Array.of(1)) : refuses(),
    )
    const { said } = await run(environment, 1, { episodes: 2 })
    expect(said.map(({ source, fallback }) => [source, fallback])).toEqual([
      ['agent', undefined],
      ['rule', 'environment_failed'],
    ])
  })

  it('keeps step limits across episodes: the world goes on', async () => {
    const environment = new Live([answers(1), answers(1)])
    const pilot = new RecordingPilot(0, constant(0))
    const loop = new ControlLoop({
      environment,
      pilot,
      episodes: 2,
      episodeSteps: 1,
      guard: { initialAction: [6], limits: { limit: { decrease: { maxStep: 2 } } } },
    })
    for await (const _ of loop);
    expect(environment.applied).toEqual([4, 2])
    expect(environment.resets).toBe(2)
  })
})

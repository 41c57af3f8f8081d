import { describe, expect, it } from 'vitest'
import { ControlLoop, type ControlLoopOptions, type Tick } from '../src/index.js'
import { answers, answersNothing, constant, Live, RecordingLogger, RecordingPilot } from './toys.js'

const refuses = () => Promise.reject(new Error('connection refused'))
const hangs = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
const ignoresItsSignal = () => new Promise<never>(() => {})

async function run(environment: Live, steps: number, options: Partial<ControlLoopOptions> = {}) {
  const pilot = new RecordingPilot(6, constant(3))
  const logger = new RecordingLogger()
  const loop = new ControlLoop({ environment, pilot, logger, episodes: 1, episodeSteps: steps, ...options })
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

  it.each([
    ['obeys its signal', hangs],
    ['ignores its signal', ignoresItsSignal],
  ])('gives up a step at its deadline when the environment %s', async (_name, step) => {
    const deadlines = [new AbortController(), new AbortController(), new AbortController()]
    let n = 0
    const environment = new Live([
      (signal) => {
        queueMicrotask(() => deadlines[1]!.abort(new Error('too late'))) // [0] was for reset
        return step(signal)
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
    await run(environment, 3, { signal: stop.signal, pause: () => Promise.resolve() })
    expect(listeners).toBe(0)
  })

  it('pauses between failed steps, longer by the number in a row if the caller wants', async () => {
    const pauses: number[] = []
    const pause = async (failures: number) => void pauses.push(failures)
    await run(new Live([refuses, refuses, answers(2), refuses, answers(3)]), 5, { pause })
    expect(pauses).toEqual([1, 2, 1])
  })

  it('stops pausing when it is aborted', async () => {
    const stop = new AbortController()
    const pause = () => {
      queueMicrotask(() => stop.abort())
      return ignoresItsSignal()
    }
    const { ticks } = await run(new Live([refuses]), 5, { pause, signal: stop.signal })
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

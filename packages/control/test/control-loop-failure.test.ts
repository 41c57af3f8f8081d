import { type Core, createCore, Random } from '@trimtab/core'
import { describe, expect, it } from 'vitest'
import { ControlLoop, type ControlLoopOptions, type Pilot, type Tick } from '../src/index.js'
import { constant, controller, RecordingLogger, RecordingPilot, Scripted } from './toys.js'

/** An address outside the core's memory: reading there is a trap. */
const NOWHERE = 0xfffffff0

const trap = (core: Core) => core.exports.random_uniform(NOWHERE)

async function run(pilot: Pilot, steps: number, options: Partial<ControlLoopOptions> = {}) {
  const logger = new RecordingLogger()
  const environment = new Scripted(Array.from({ length: steps + 1 }, (_, i) => ({ observation: [i] })))
  const loop = new ControlLoop({ environment, pilot, logger, episodes: 1, ...options })
  const ticks: Tick[] = []
  for await (const tick of loop) ticks.push(tick)
  return { ticks, logger, loop, said: ticks.map(({ source, fallback }) => [source, fallback]) }
}

const AGENT = ['agent', undefined]
const RULE = ['rule', undefined]
const FAILED = ['rule', 'agent_failed']

describe('ControlLoop with a pilot that fails', () => {
  it('goes on under the rule when the core traps in a decision, and says so once', async () => {
    const core = await createCore()
    const random = new Random(core, 1)
    const pilot = new RecordingPilot((observation, out) => {
      if (observation[0] === 2) trap(core)
      out[0] = random.uniform()
    }, constant(3))
    const { said, ticks, logger, loop } = await run(pilot, 6)
    expect(said).toEqual([AGENT, AGENT, FAILED, RULE, RULE, RULE])
    expect(ticks[2]!.failure).toMatchObject({ code: 'core_trapped' })
    expect(ticks.map((tick) => tick.stage)).toEqual(['online', 'online', 'online', 'offline', 'offline', 'offline'])
    expect(logger.lines).toEqual(['error the pilot failed; the rule goes on'])
    expect(loop.fallbacks.agent_failed).toBe(1)
    expect(pilot.decidedOn).toHaveLength(3)
  })

  it('goes on under the rule when the core traps while learning, and says so in the next tick', async () => {
    const core = await createCore()
    const pilot = new RecordingPilot(6, constant(3))
    pilot.observe = (t) => void (t.observation[0] === 1 && trap(core))
    const { said, ticks } = await run(pilot, 5)
    expect(said).toEqual([AGENT, AGENT, FAILED, RULE, RULE])
    expect(ticks[2]!.failure).toMatchObject({ code: 'core_trapped' })
  })

  it('goes on under the rule when the pilot throws at the end of an episode', async () => {
    const pilot = new RecordingPilot(6, constant(3))
    pilot.endEpisode = () => {
      throw new Error('broken')
    }
    const { said } = await run(pilot, 2, { episodes: 2 })
    expect(said).toEqual([AGENT, AGENT, FAILED, RULE])
  })

  it('holds the last safe action when the rule lived in the same core', async () => {
    const core = await createCore()
    const random = new Random(core, 1)
    const rule = controller(() => random.uniform())
    const pilot = new RecordingPilot((observation, out) => {
      if (observation[0] === 2) trap(core)
      out[0] = 6
    }, rule)
    const { ticks } = await run(pilot, 5)
    expect(ticks.map((tick) => [tick.source, tick.action[0]])).toEqual([
      ['agent', 6],
      ['agent', 6],
      ['hold', 6],
      ['hold', 6],
      ['hold', 6],
    ])
  })

  it('hands back to the agent that `restore` rebuilds, after a full step under the rule', async () => {
    const fails = new RecordingPilot((observation, out) => {
      if (observation[0] === 1) throw new Error('broken')
      out[0] = 6
    }, constant(3))
    const rebuilt = new RecordingPilot(7, constant(3))
    const { said, ticks, logger, loop } = await run(fails, 6, { restore: () => rebuilt })
    expect(said).toEqual([AGENT, FAILED, RULE, AGENT, AGENT, AGENT])
    expect(ticks[3]!.action[0]).toBe(7)
    expect(loop.pilot).toBe(rebuilt)
    expect(rebuilt.learned.map((t) => t.observation[0])).toEqual([3, 4, 5])
    expect(logger.lines).toEqual(['error the pilot failed; the rule goes on', 'info the pilot was restored'])
  })

  it('asks `restore` again, more and more rarely, while it has no pilot or throws', async () => {
    const askedAt: number[] = []
    let tick = 0
    const rule = controller(() => {
      tick++
      return 3
    })
    const fails = new RecordingPilot(() => {
      throw new Error('broken')
    }, rule)
    const restore = () => {
      askedAt.push(tick)
      if (askedAt.length === 2) throw new Error('the save is damaged')
      return undefined
    }
    const { said } = await run(fails, 40, { restore })
    expect(askedAt).toEqual([2, 4, 8, 16, 32])
    expect(said.slice(1)).toEqual(Array(39).fill(RULE))
  })

  it('forgets earlier failures once an episode has ended well: each is restored as fast as the first', async () => {
    const failsAtOne = () =>
      new RecordingPilot((observation, out) => {
        if (observation[0] === 1) throw new Error('broken')
        out.fill(6)
      }, constant(3))
    const { said } = await run(failsAtOne(), 5, { restore: failsAtOne, episodes: 6 })
    expect(said).toEqual(Array(6).fill([AGENT, FAILED, RULE, AGENT, AGENT]).flat())
  })

  it('spends ever less on a pilot that fails again each time', async () => {
    const broken = () =>
      new RecordingPilot(() => {
        throw new Error('broken')
      }, constant(3))
    let rebuilt = 0
    const restore = () => {
      rebuilt++
      return broken()
    }
    const { loop } = await run(broken(), 1000, { restore })
    expect(rebuilt).toBeLessThan(10)
    expect(loop.fallbacks.agent_failed).toBe(rebuilt + 1)
  })
})

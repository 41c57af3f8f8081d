import { describe, expect, it } from 'vitest'
import { K, ones, Team } from './team.js'

const TEN_MINUTES_MS = 600_000

describe('who is counted', () => {
  it('a silent member for three heartbeats, and no longer', async () => {
    const team = new Team()
    const [a, b] = [await team.joined('a', 2), await team.joined('b', 3)]
    team.beat(a, b)
    const counted = []
    for (let beat = 0; beat < 5; beat++) {
      team.beat(a)
      counted.push(a.total.agents)
    }
    expect(counted).toEqual([5, 5, 5, 2, 2])
    team.beat(b, a)
    expect([a.total.agents, b.total.agents]).toEqual([5, 5])
    expect(a.members).toEqual(['a', 'b'])
  })

  it('not a member that has left, from the next step on', async () => {
    const team = new Team()
    const [a, b] = [await team.joined('a', 2), await team.joined('b', 3)]
    team.beat(b, a)
    b.dispose()
    b.dispose()
    a.step(ones(a))
    expect(a.total.agents).toBe(2)
    expect((await team.joined('c', 1)).members).toEqual(['a', 'c'])
  })

  it.each([TEN_MINUTES_MS, -TEN_MINUTES_MS])(
    'all of them when a clock jumps by %d ms, and then the silent no longer than ever',
    async (jumpMs) => {
      const team = new Team()
      const clock = { offsetMs: jumpMs, now: () => team.clock.now() + clock.offsetMs }
      const [a, b] = [await team.joined('a', 2, { clock }), await team.joined('b', 3)]
      team.beat(b, a)
      clock.offsetMs = 0
      team.beat(b, a)
      expect([a.total.agents, b.total.agents]).toEqual([5, 5])
      clock.offsetMs = jumpMs
      for (let beat = 0; beat < 5; beat++) team.beat(a)
      expect(a.total.agents).toBe(2)
    },
  )

  it('all of them while a clock says nothing, and the silent no longer than ever once it does', async () => {
    const team = new Team()
    let offsetMs = 0
    const clock = { now: () => team.clock.now() + offsetMs }
    const [a, b] = [await team.joined('a', 2, { clock }), await team.joined('b', 3)]
    team.beat(b, a)
    offsetMs = Number.NaN
    for (let beat = 0; beat < 5; beat++) team.beat(a)
    expect(a.total.agents).toBe(5)
    offsetMs = 0
    for (let beat = 0; beat < 5; beat++) team.beat(a)
    expect(a.total.agents).toBe(2)
  })

  it('each once, when a process is started again under its name before it was missed', async () => {
    const team = new Team()
    const [a, killed] = [await team.joined('a', 2), await team.joined('b', 3)]
    team.beat(killed, a)
    const again = await team.joined('b', 4)
    for (let beat = 0; beat < 6; beat++) {
      team.beat(again, a)
      expect([a.total.agents, again.total.agents]).toEqual([6, 6])
    }
  })

  it('each once, when two processes go by one name: the later has taken over', async () => {
    const team = new Team()
    const [a, early, late] = [await team.joined('a', 2), await team.joined('b', 3), await team.joined('b', 3)]
    team.beat(a)
    for (let beat = 0; beat < 6; beat++) {
      team.beat(late, early, a)
      expect([a.total.agents, early.total.agents, late.total.agents]).toEqual([5, 5, 5])
    }
    expect([early.state, late.state]).toEqual(['displaced', 'joined'])
    const lives: number[] = []
    team.hub.onSummary(({ member, incarnation }) => member === 'b' && lives.push(incarnation))
    team.beat(late, early)
    expect(new Set(lives).size).toBe(1) // the displaced one says nothing
    late.dispose()
    for (let beat = 0; beat < 5; beat++) team.beat(early, a)
    expect([early.state, a.total.agents]).toEqual(['joined', 5])
  })

  it('a member by its newest summary, in whatever order they arrive', async () => {
    const team = new Team()
    const a = await team.joined('a', 1)
    const say = (incarnation: number, sequence: number, agents: number) =>
      team.hub.publish({ member: 'b', incarnation, sequence, numbers: new Float64Array(1 + 2 * K).fill(agents) })
    for (const [incarnation, sequence, agents, counted] of [
      [7, 3, 5, 6],
      [7, 2, 9, 6],
      [6, 8, 9, 6],
      [7, 4, 2, 3],
      [8, 1, 4, 5],
      [7, 5, 9, 5],
    ] as const) {
      say(incarnation, sequence, agents)
      a.step(ones(a))
      expect(a.total.agents).toBe(counted)
    }
  })

  it('nobody whose summary cannot be added up, and that is counted', async () => {
    const team = new Team()
    const a = await team.joined('a', 1)
    const summary = { member: 'b', incarnation: 1, sequence: 1 }
    const numbers = new Float64Array(1 + 2 * K).fill(1)
    team.hub.publish({ ...summary, numbers: numbers.slice(1) })
    team.hub.publish({ ...summary, numbers: numbers.with(2, Number.NaN) })
    team.hub.publish({ ...summary, numbers: numbers.with(0, -1) })
    team.beat(a)
    expect([a.total.agents, a.failures.summaries]).toEqual([1, 3])
  })

  it('a newcomer and what it finds, in its first step', async () => {
    const team = new Team()
    const a = await team.joined('a', 2)
    team.beat(a)
    const b = await team.joined('b', 3)
    b.step(ones(b))
    expect([b.total.agents, b.state]).toEqual([5, 'joined'])
  })
})

import { describe, expect, it } from 'vitest'
import type { ModelExchange, TeamMember } from '../../src/index.js'
import { Cable, ones, policyFile, RULE, Team } from './team.js'

/** What each agent does and why, observing its row. */
function decided(member: TeamMember): [action: number, fallback: string | undefined][] {
  const observations = Float32Array.from(member.agents, (_, row) => row)
  const actions = new Float32Array(member.agents.length)
  const fallbacks = [...member.decide(observations, actions)]
  return Array.from(actions, (action, row) => [action, fallbacks[row]])
}

async function withModels(team: Team, gains: Readonly<Record<string, number>>): Promise<void> {
  for (const [category, gain] of Object.entries(gains)) await team.hub.models.replace(category, policyFile(gain), 0)
}

describe('an agent of a team', () => {
  it('acts in its first step, by the base model of its category, or by its rule where there is none', async () => {
    const team = new Team()
    await withModels(team, { cpu: 10, io: 30 })
    const member = await team.joined('a', 4)
    member.step(ones(member))
    expect(decided(member)).toEqual([
      [0, undefined],
      [RULE, 'no_model'],
      [60, undefined],
      [30, undefined],
    ])
  })

  it('takes a base model that came to be meanwhile, asking ever more seldom', async () => {
    const team = new Team()
    const asked: number[] = []
    let steps = 0
    const { models } = team.hub
    const get = (category: string) => {
      asked.push(steps)
      return models.get(category)
    }
    const transport = Object.assign(new Cable(team.hub), { models: { ...models, get } as ModelExchange })
    const member = await team.joined('a', 1, { transport })
    const step = async () => {
      steps++
      team.beat(member)
      await member.settled()
      return decided(member)[0]
    }
    while (steps < 100) expect(await step()).toEqual([RULE, 'no_model'])
    expect(asked).toEqual([0, 1, 3, 7, 15, 31, 63, 95])
    await withModels(team, { cpu: 10 })
    while (steps < 126) expect(await step()).toEqual([RULE, 'no_model'])
    expect(await step()).toEqual([0, undefined])
    expect(member.modelVersion('cpu')).toBe(1)
  })

  it('goes on with its last model, or its rule, when nothing is heard any more, says so, and comes back', async () => {
    const team = new Team()
    await withModels(team, { cpu: 10, io: 30 })
    const cable = new Cable(team.hub)
    const [a, b] = [await team.joined('a', 3, { transport: cable }), await team.joined('b', 1)]
    team.beat(b, a)
    cable.isCut = true
    const states = []
    for (let beat = 0; beat < 5; beat++) {
      team.beat(b, a)
      states.push(a.state)
    }
    expect(states).toEqual(['joined', 'joined', 'joined', 'isolated', 'isolated'])
    expect(decided(a)).toEqual([
      [0, 'isolated'],
      [RULE, 'no_model'],
      [60, 'isolated'],
    ])
    expect([a.total.agents, b.total.agents, b.state]).toEqual([3, 1, 'joined'])
    cable.isCut = false
    team.beat(b, a)
    team.beat(b, a)
    expect([a.total.agents, b.total.agents, a.state]).toEqual([4, 4, 'joined'])
    expect(decided(a).map(([, fallback]) => fallback)).toEqual([undefined, 'no_model', undefined])
  })

  it('acts by its rule from the first step on where the team does not answer, and joins when it does', async () => {
    const team = new Team()
    await withModels(team, { cpu: 10, memory: 20, io: 30 })
    const cable = new Cable(team.hub)
    cable.isCut = true
    const member = await team.joined('a', 2, { transport: cable })
    team.beat(member)
    expect(decided(member)).toEqual([
      [RULE, 'no_model'],
      [RULE, 'no_model'],
    ])
    await member.settled()
    cable.isCut = false
    for (let beat = 0; beat < 3; beat++) {
      team.beat(member)
      await member.settled()
    }
    expect([member.state, ...decided(member)]).toEqual(['joined', [0, undefined], [20, undefined]])
  })

  it('leaves its work to a later life of its member, and says so', async () => {
    const team = new Team()
    await withModels(team, { cpu: 10 })
    const early = await team.joined('a', 1)
    const late = await team.joined('a', 1)
    team.beat(late, early)
    expect(decided(early)).toEqual([[RULE, 'displaced']])
    expect(decided(late)).toEqual([[0, undefined]])
  })

  it.each<[string, string, (observations: Float32Array, out: Float32Array) => void]>([
    ['answers nonsense for one', 'action_not_finite', (_, out) => void out.set([Number.NaN, 7])],
    [
      'throws',
      'agent_failed',
      () => {
        throw new Error('core trapped')
      },
    ],
  ])('acts by its rule when the model %s', async (_name, fallback, decideMany) => {
    const team = new Team()
    await withModels(team, { cpu: 10 })
    const member = team.member('a', { load: () => ({ name: 'bad', decideMany }) })
    for (const agent of ['x', 'y']) member.add(agent, 'cpu')
    await member.settled()
    team.beat(member)
    const [x, y] = decided(member)
    expect(x).toEqual([RULE, fallback])
    expect(y).toEqual(fallback === 'agent_failed' ? [RULE, fallback] : [7, undefined])
  })

  it('holds when its rule throws too, and leaves the others alone', async () => {
    const team = new Team()
    const rule = (agent: string) => ({
      name: 'rule',
      decide: (_: Float32Array, out: Float32Array) => {
        if (agent === 'a/1') throw new Error('no telemetry')
        out.fill(RULE)
      },
    })
    const member = await team.joined('a', 3, { rule })
    team.beat(member)
    expect(decided(member)).toEqual([
      [RULE, 'no_model'],
      [Number.NaN, 'rule_failed'],
      [RULE, 'no_model'],
    ])
  })

  it('keeps the last model when the next one cannot be loaded, and lets go of what it replaces', async () => {
    const team = new Team()
    const disposed: number[] = []
    let loaded = 0
    const load = (bytes: Uint8Array) => {
      if (bytes.length === 0) throw new Error('empty')
      const id = ++loaded
      return {
        name: 'm',
        decideMany: (_: Float32Array, out: Float32Array) => void out.fill(id),
        dispose: () => void disposed.push(id),
      }
    }
    await withModels(team, { cpu: 10 })
    const member = await team.joined('a', 1, { load })
    const refreshed = async (bytes: Uint8Array, over: number) => {
      await team.hub.models.replace('cpu', bytes, over)
      member.refreshModels()
      await member.settled()
      return [decided(member)[0]![0], member.modelVersion('cpu'), member.failures.models, ...disposed]
    }
    member.step(ones(member))
    expect(await refreshed(new Uint8Array(0), 1)).toEqual([1, 1, 1])
    expect(await refreshed(policyFile(1), 2)).toEqual([2, 3, 1, 1])
    member.refreshModels()
    await member.settled()
    expect(loaded).toBe(2)
    member.dispose()
    expect(disposed).toEqual([1, 2])
  })

  it('takes another model that has the same version: its store had lost everything and counts anew', async () => {
    const team = new Team()
    let gain = 10
    const get: ModelExchange['get'] = async () => ({ version: 1, bytes: policyFile(gain) })
    const transport = Object.assign(new Cable(team.hub), { models: { ...team.hub.models, get } as ModelExchange })
    const member = await team.joined('a', 4, { transport })
    member.step(ones(member))
    gain = 20
    member.refreshModels()
    await member.settled()
    expect(decided(member)[3]).toEqual([60, undefined])
  })
})

describe('a member', () => {
  it('holds a thousand agents of a process, who come and go', async () => {
    const team = new Team()
    await withModels(team, { cpu: 10, memory: 20, io: 30 })
    const [member, other] = [await team.joined('a', 1000), await team.joined('b', 7)]
    team.beat(other, member)
    expect(member.total.agents).toBe(1007)
    for (let i = 0; i < 1000; i += 10) member.remove(`a/${i}`)
    for (let i = 0; i < 40; i++) member.add(`new/${i}`, 'cpu')
    team.beat(member, other)
    expect([member.total.agents, other.total.agents, member.agents.length]).toEqual([947, 947, 940])
    for (const [row, [action, fallback]] of decided(member).entries()) {
      const [name, i] = member.agents[row]!.split('/')
      const gain = name === 'new' ? 10 : 10 * (1 + (Number(i) % 3))
      expect([action, fallback]).toEqual([row * gain, undefined])
    }
  })

  it('may be one of a hundred, whose thousand agents are counted once each', async () => {
    const team = new Team()
    const members = await Promise.all(Array.from({ length: 100 }, (_, i) => team.joined(`m${i}`, 10)))
    team.beat(...members)
    for (const _ of [1, 2]) {
      team.beat(...members)
      expect(new Set(members.map(({ total }) => total.agents))).toEqual(new Set([1000]))
    }
  })

  it('refuses what cannot be, at once and unchanged', async () => {
    const team = new Team()
    const member = await team.joined('a', 2)
    const codes = (act: () => unknown, code: string) => expect(act).toThrow(expect.objectContaining({ code }))
    codes(() => member.add('a/0', 'cpu'), 'agent_known')
    codes(() => member.remove('b'), 'agent_unknown')
    codes(() => member.add('c', 'two words'), 'config_invalid')
    codes(() => member.offerModel('>', policyFile(1)), 'config_invalid')
    codes(() => member.step([1]), 'size_mismatch')
    codes(() => member.globals(new Float32Array(1)), 'size_mismatch')
    codes(() => member.decide(new Float32Array(3), new Float32Array(2)), 'size_mismatch')
    codes(() => member.decide(new Float32Array(2), new Float32Array(0)), 'size_mismatch')
    expect(member.agents).toEqual(['a/0', 'a/1'])
    expect(() => team.member('a b', { heartbeatMs: 0, variables: [], ...{ beat: 1 } })).toThrow(
      /options\.beat is no option.*name must be letters.*"a b".*at least one number.*heartbeatMs must be a number > 0, got 0/,
    )
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { MemberReport } from './fixtures/member.js'
import { Cable } from './partition.js'
import { CoordinatorProcess, HEARTBEAT_MS, MemberProcess, Programs } from './processes.js'
import { HAS_NATS, RealNats, sayUnchecked } from './real-nats.js'

const PROCESSES = 10
const AGENTS = 100 // each
const ALL = PROCESSES * AGENTS
const TEN_MINUTES_MS = 600_000
const BEHIND_CABLE = 5 // the last so many
const PATIENCE_MS = 60_000 // of a machine that has much else to do

if (!HAS_NATS) sayUnchecked('a team of processes')

describe.runIf(HAS_NATS)('ten processes of a hundred agents on one server', { timeout: 5 * PATIENCE_MS }, () => {
  let nats: RealNats
  let cable: Cable
  let programs: Programs
  let coordinator: CoordinatorProcess
  const team: MemberProcess[] = []
  const gone: MemberProcess[] = []

  /** Puts process `i` in its place; clocks are up to ten minutes apart. */
  function start(i: number): MemberProcess {
    const port = i < PROCESSES - BEHIND_CABLE ? nats.port : cable.port
    const skewMs = [0, TEN_MINUTES_MS, -TEN_MINUTES_MS][i % 3]!
    const orders = { port, name: `host-${i}`, agents: AGENTS, heartbeatMs: HEARTBEAT_MS, skewMs }
    team[i] = new MemberProcess(programs.member, orders)
    return team[i]
  }

  async function kill(i: number): Promise<void> {
    gone.push(team[i]!)
    await team[i]!.kill()
  }

  const lastOf = (members: readonly MemberProcess[]) => members.map(({ last }) => last)

  /** Waits until `holds` no longer throws: hooks wait too, where `expect.poll` may not. */
  const until = (holds: () => void) => vi.waitFor(holds, { timeout: PATIENCE_MS, interval: 20 })

  /** Waits until the last reports of `members` are all as `expected` says. */
  const become = (members: readonly MemberProcess[], expected: Partial<MemberReport>) =>
    until(() => expect(lastOf(members)).toEqual(members.map(() => expect.objectContaining(expected))))

  /** Waits until each of them has taken so many steps more. */
  const step = (members: readonly MemberProcess[], steps: number) => {
    const from = members.map(({ last }) => last!.step)
    return until(() => expect(members.every(({ last }, i) => last!.step >= from[i]! + steps)).toBe(true))
  }

  const whole = { agents: ALL, members: PROCESSES, state: 'joined' }

  beforeAll(async () => {
    nats = await RealNats.start()
    programs = await Programs.make()
    cable = await Cable.to(nats.port)
    coordinator = await CoordinatorProcess.start(programs.coordinator, nats.port)
    await become([start(0)], { fallbacks: { no_model: AGENTS } })
    team[0]!.tell({ offer: 2 })
    await until(() => expect(coordinator.refreshes).toMatchObject([{ member: 'host-0', value: 2 }]))
    team[0]!.tell({ refresh: true })
    for (let i = 1; i < PROCESSES; i++) start(i)
    await become(team, { ...whole, action: 2, fallbacks: { none: AGENTS } })
  }, 5 * PATIENCE_MS)

  afterAll(async () => {
    await Promise.all([...team.map((member) => member.kill()), coordinator?.kill()])
    cable?.stop()
    programs?.remove()
    await nats?.stop()
  })

  beforeEach(() => become(team, whole), 2 * PATIENCE_MS)

  /** What went over the connections of `members` while each took ten steps, and who passed on what all had said: one, in the end. */
  const tenSteps = (members: readonly MemberProcess[]) =>
    vi.waitFor(
      async () => {
        const from = lastOf(members).map((report) => report!)
        await step(members, 10)
        const went = lastOf(members).map((last, i) => ({
          process: members[i]!,
          steps: last!.step - from[i]!.step,
          sent: last!.out - from[i]!.out,
          heard: last!.in - from[i]!.in,
          passedOn: last!.passedOn - from[i]!.passedOn,
        }))
        const [relay, ...others] = went.toSorted((a, b) => b.passedOn - a.passedOn)
        expect(others.every(({ passedOn }) => passedOn === 0)).toBe(true)
        return { relay: relay!, others, said: went.reduce((sum, { steps }) => sum + steps, 0) }
      },
      { timeout: 2 * PATIENCE_MS, interval: 20 },
    )

  it('send a message a step each, however many agents they have, one of them one more, and hear one: linear in processes', async () => {
    const { relay, others, said } = await tenSteps(team)
    for (const { steps, sent, heard } of others) {
      expect(sent).toBeLessThan(1.5 * steps) // 1, and what the connection says for itself
      expect(heard).toBeLessThan(1.5 * (relay.passedOn + steps)) // one, and the server's answer
    }
    expect(relay.sent).toBeLessThan(1.5 * 2 * relay.steps)
    expect(relay.heard).toBeLessThan(1.5 * (said + relay.passedOn + relay.steps)) // one of each, its own one, the answer
  })

  it('hear one another through the next in line when the one that passes on is killed, and when it is back', async () => {
    const { relay } = await tenSteps(team)
    const i = team.indexOf(relay.process)
    await kill(i)
    const others = team.filter((_, other) => other !== i)
    await become(others, { agents: ALL - AGENTS, members: PROCESSES - 1, state: 'joined' })
    await tenSteps(others)
    start(i)
    await become(team, whole)
    expect((await tenSteps(team)).relay.process).not.toBe(team[i]) // the longest in the team is another now
  })

  it('are missed when they are killed, and counted once when they are there again', async () => {
    await Promise.all([kill(1), kill(8)])
    await become(
      team.filter((_, i) => i !== 1 && i !== 8),
      { agents: ALL - 2 * AGENTS, members: PROCESSES - 2 },
    )
    for (const i of [1, 8]) start(i)
    await become(team, whole)
    await kill(2)
    start(2) // before it is missed
    await become(team, whole)
  })

  it('decide by the base model in the second heartbeat after they join, at the latest', async () => {
    await kill(3)
    const newcomer = start(3)
    await become(team, whole)
    const first = newcomer.reports.find(({ fallbacks }) => fallbacks.none === AGENTS)!
    expect(first.step).toBeLessThanOrEqual(2)
    expect(first.action).toBe(2)
  })

  it('go on without the coordinator, as do newcomers, and its successor goes on where it was', async () => {
    const { version } = team[0]!.last!
    await coordinator.kill()
    await kill(4)
    start(4)
    await become(team, { ...whole, version: version!, fallbacks: { none: AGENTS } })
    coordinator = await CoordinatorProcess.start(programs.coordinator, nats.port)
    team[4]!.tell({ offer: 1 })
    team[5]!.tell({ offer: 3 })
    await until(() => expect(coordinator.refreshes.at(-1)).toMatchObject({ member: 'host-5', value: 3 }))
    for (const member of team) member.tell({ refresh: true })
    await become(team, { ...whole, version: coordinator.refreshes.at(-1)!.version, action: 3 })
    expect(coordinator.refreshes.at(-1)!.version).toBeGreaterThan(version!)
  })

  it('go on with their last model when the server is killed, say why, and are whole when it is back', async () => {
    const { version, action } = team[0]!.last!
    await nats.kill()
    await become(team, {
      agents: AGENTS,
      state: 'isolated',
      version: version!,
      action,
      fallbacks: { isolated: AGENTS },
    })
    await nats.restart()
    await become(team, { ...whole, version: version!, fallbacks: { none: AGENTS } })
    expect(Math.max(...team.map(({ last }) => last!.dropped))).toBeGreaterThan(0)
  })

  it('are two teams while a partition lasts, of which one is nobody’s, and one when it is over', async () => {
    const [near, far] = [team.slice(0, -BEHIND_CABLE), team.slice(-BEHIND_CABLE)]
    cable.cut()
    await become(near, { agents: ALL - BEHIND_CABLE * AGENTS, state: 'joined' })
    await become(far, { agents: AGENTS, state: 'isolated', fallbacks: { isolated: AGENTS } })
    cable.mend()
    await become(team, whole)
  })

  it('do without one that hears too slowly, until it has caught up', async () => {
    const [slow, ...others] = [team[0]!, ...team.slice(1)]
    slow.signal('SIGSTOP')
    await become(others, { agents: ALL - AGENTS })
    slow.signal('SIGCONT')
    await become(team, whole)
  })

  it('count the same whatever their clocks say, also when one jumps', async () => {
    for (const skewMs of [TEN_MINUTES_MS, -TEN_MINUTES_MS, 0]) {
      for (const member of team) member.tell({ skewMs })
      await step(team, 4)
      await become(team, whole)
    }
    await kill(6)
    await become(
      team.filter((_, i) => i !== 6),
      { agents: ALL - AGENTS },
    )
    start(6)
    await become(team, whole)
  })

  it('were never counted twice', () => {
    for (const { reports } of [...team, ...gone])
      expect(Math.max(...reports.map(({ agents }) => agents))).toBeLessThanOrEqual(ALL)
  })
})

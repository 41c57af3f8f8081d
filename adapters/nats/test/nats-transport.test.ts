import { Kvm } from '@nats-io/kv'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { type ModelOffer, type Summary, TeamMember } from '@trimtab/control'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { RecordingLogger } from '../../../packages/control/test/toys.js'
import { NatsTransport, type NatsTransportOptions } from '../src/index.js'
import { loadGain, policyFile, VARIABLES } from './fixtures/gain.js'
import { Cable } from './partition.js'
import { HAS_NATS, RealNats, sayUnchecked } from './real-nats.js'

const HEARTBEAT_MS = 300

if (!HAS_NATS) sayUnchecked('the transport')

it('refuses options that cannot be, all at once', () => {
  const nobody = {} as NatsConnection
  const options = { team: 'a.b', heartbeatMs: 99, timeoutMs: 0, replicas: 1.5, ...{ bucket: 'x' } }
  expect(() => new NatsTransport(nobody, options)).toThrow(
    /options\.bucket is no option.*team must be.*"a\.b".*heartbeatMs must be >= 100, got 99.*timeoutMs.*replicas/,
  )
})

describe.runIf(HAS_NATS)('members over a real NATS server', { timeout: 180_000 }, () => {
  let nats: RealNats
  const connections: NatsConnection[] = []
  let teams = 0
  let team: string

  beforeAll(async () => {
    nats = await RealNats.start('--user', 'shop', '--pass', 'secret')
  })
  afterEach(async () => {
    await Promise.all(connections.splice(0).map((connection) => connection.close()))
  })
  afterAll(() => nats?.stop())

  async function transport(options: Partial<NatsTransportOptions> = {}, port = nats.port) {
    const connection = await connect({
      port,
      user: 'shop',
      pass: 'secret',
      maxReconnectAttempts: -1,
      reconnectTimeWait: 50,
    })
    connections.push(connection)
    return new NatsTransport(connection, { team, heartbeatMs: HEARTBEAT_MS, timeoutMs: 30_000, ...options })
  }

  const fresh = () => {
    team = `team-${teams++}`
  }

  const summary = (member: string, sequence: number, numbers: number[], incarnation = 1): Summary => ({
    member,
    incarnation,
    sequence,
    numbers: Float64Array.from(numbers),
  })

  const members = () => new Kvm(connections[0]!).open(`trimtab_${team}_members`)

  function heardBy(of: NatsTransport): Summary[] {
    const heard: Summary[] = []
    of.onSummary((one) => heard.push(one))
    return heard
  }

  /** Each once, by sequence: what was said while somebody came may be told twice. */
  const distinct = (heard: readonly Summary[]) =>
    [...new Map(heard.map((one) => [one.sequence, one])).values()].sort((a, b) => a.sequence - b.sequence)

  it('hear each summary to the bit, their own too; a newcomer hears the last ones', async () => {
    fresh()
    const patient = { heartbeatMs: 100 * HEARTBEAT_MS } // a newcomer may be slow to come
    const [a, b] = [await transport(patient), await transport(patient)]
    const [byA, byB] = [heardBy(a), heardBy(b)]
    const said = [summary('a.1', 1, [1, 0.1, 1 / 3]), summary('a.1', 2, [1, Math.PI, 5e-324])]
    a.publish(said[0]!)
    await a.settled()
    a.publish(said[1]!)
    await expect.poll(() => [byA, byB].map(distinct)).toEqual([said, said])
    expect(a.counts).toMatchObject({ sent: 2, dropped: 0, refused: 0 })
    const newcomer = heardBy(await transport(patient))
    await expect.poll(() => distinct(newcomer)).toEqual(said.slice(1))
  })

  it('hear nothing of whom the server has forgotten', async () => {
    fresh()
    const a = await transport()
    a.publish(summary('a', 1, [1]))
    await a.settled()
    await expect.poll(async () => (await (await members()).status()).values).toBe(0)
    const late = await transport()
    const byLate = heardBy(late)
    late.publish(summary('b', 1, [1]))
    await expect.poll(() => distinct(byLate)).toEqual([summary('b', 1, [1])])
  })

  it('are heard as soon as the server answers, though it was silent at first', async () => {
    fresh()
    const cable = await Cable.to(nats.port)
    const a = await transport({}, cable.port)
    cable.cut()
    a.publish(summary('a', 1, [1]))
    await a.settled()
    expect(a.counts).toMatchObject({ sent: 0, dropped: 1 })
    const events = connections.at(-1)!.status()
    cable.mend()
    for await (const { type } of events) if (type === 'reconnect') break
    let sequence = 1
    const sent = async () => {
      a.publish(summary('a', ++sequence, [1]))
      await a.settled()
      return a.counts.sent
    }
    await expect.poll(sent).toBeGreaterThan(0)
    cable.stop()
  })

  it('get a number for each life, greater than the last', async () => {
    fresh()
    const [a, b] = [await transport(), await transport()]
    const lives = [await a.enter(), await b.enter(), await a.enter()]
    expect(lives).toEqual([...lives].sort((x, y) => x - y))
    expect(new Set(lives).size).toBe(3)
  })

  it('share base models, each version once', async () => {
    fresh()
    const [a, b] = [(await transport()).models, (await transport()).models]
    expect(await a.get('cpu')).toBeUndefined()
    const first = await a.replace('cpu', Uint8Array.of(0, 255, 7), 0)
    expect(await b.get('cpu')).toEqual({ version: first, bytes: Uint8Array.of(0, 255, 7) })
    expect(await b.replace('cpu', Uint8Array.of(1), 0)).toBeUndefined()
    const second = await b.replace('cpu', Uint8Array.of(2), first!)
    expect(await a.replace('cpu', Uint8Array.of(3), first!)).toBeUndefined()
    expect(await a.get('cpu')).toEqual({ version: second, bytes: Uint8Array.of(2) })
    expect(await a.get('io')).toBeUndefined()
  })

  it('offer what they learned to whoever listens', async () => {
    fresh()
    const [a, b] = [await transport(), await transport()]
    const offers: ModelOffer[] = []
    const stop = b.models.onOffer((offer) => offers.push(offer))
    await connections.at(-1)!.flush()
    a.models.offer({ category: 'cpu', member: 'host-1', bytes: Uint8Array.of(9, 8) })
    await expect.poll(() => offers).toEqual([{ category: 'cpu', member: 'host-1', bytes: Uint8Array.of(9, 8) }])
    stop()
    a.models.offer({ category: 'cpu', member: 'host-1', bytes: Uint8Array.of(9, 8) })
    await connections.at(-1)!.flush()
    expect(offers).toHaveLength(1)
  })

  it('say once that an offer is larger than a message may be, and go on', async () => {
    fresh()
    const logger = new RecordingLogger()
    const a = await transport({ logger })
    a.models.offer({ category: 'cpu', member: 'host-1', bytes: new Uint8Array(2 ** 21) })
    expect(logger.lines).toEqual(['warn a policy could not be offered'])
    expect(await a.enter()).toBeGreaterThan(0)
  })

  it('count a stranger in the bucket, and nothing else of it', async () => {
    fresh()
    const a = await transport()
    const heard = heardBy(a)
    a.publish(summary('a', 1, [1]))
    await a.settled()
    const bucket = await members()
    for (const text of ['hello', '{}', '{"member":"b","incarnation":-1,"sequence":1,"numbers":[1]}'])
      await bucket.put('stranger', text)
    await expect.poll(() => a.counts.refused).toBeGreaterThanOrEqual(3)
    expect(distinct(heard)).toHaveLength(1)
  })

  it('pass on what all say by the one that is in the team the longest, and by the next when it is gone', async () => {
    fresh()
    const three = [await transport(), await transport(), await transport()]
    const heard = three.map(heardBy)
    let sequence = 0
    /** Lets some of them say something: who passed on. */
    const say = async (...speakers: number[]): Promise<boolean[]> => {
      const before = three.map(({ counts }) => counts.passedOn)
      sequence++
      for (const i of speakers) three[i]!.publish(summary(`m${i}`, sequence, [1], 7 + i))
      await Promise.all(three.map((one) => one.settled()))
      return three.map(({ counts }, i) => counts.passedOn > before[i]!)
    }
    await expect.poll(() => say(0, 1, 2), { interval: HEARTBEAT_MS }).toEqual([true, false, false])
    const last = () => Math.max(...heard[2]!.filter(({ member }) => member === 'm1').map((one) => one.sequence))
    const [before] = [last(), await say(0, 1, 2), await say(0, 1, 2)]
    await expect.poll(last).toBeGreaterThan(before) // through the first
    await connections.at(-3)!.close()
    await expect.poll(() => say(1, 2), { interval: HEARTBEAT_MS }).toEqual([false, true, false])
  })

  it('count what is passed on and holds no summaries, and nothing else of it', async () => {
    fresh()
    const a = await transport()
    const heard = heardBy(a)
    for (const text of ['hello', '{"by":0}', '{"by":0,"summaries":[{"member":"b"}]}'])
      connections.at(-1)!.publish(`trimtab.${team}.relay`, text)
    await expect.poll(() => a.counts.refused).toBe(3)
    expect(heard).toEqual([])
  })

  it('refuse a bucket that forgets at another time, and say what to do', async () => {
    fresh()
    const [a, b] = [
      await transport(),
      await transport({ heartbeatMs: 2 * HEARTBEAT_MS, logger: new RecordingLogger() }),
    ]
    a.publish(summary('a', 1, [1]))
    await a.settled()
    b.publish(summary('b', 1, [1]))
    await b.settled()
    expect([a.counts.sent, b.counts.sent, b.counts.dropped]).toEqual([1, 0, 1])
  })

  function memberOver(transport: NatsTransport, name: string): TeamMember {
    const member = new TeamMember({
      name,
      transport,
      variables: VARIABLES,
      clock: performance,
      heartbeatMs: HEARTBEAT_MS,
      load: loadGain,
      rule: () => ({ name: 'rule', decide: (_, out) => out.fill(-1) }),
    })
    member.add('f', 'cpu')
    return member
  }

  /** Agents everywhere, as each of them counts after a step. */
  function counted(...members: readonly TeamMember[]): number[] {
    for (const one of members) one.step(new Float64Array(VARIABLES.length).fill(1))
    return members.map(({ total }) => total.agents)
  }

  it('join, act and leave as in one process', async () => {
    fresh()
    const via = await transport()
    await via.models.replace('cpu', policyFile(3), 0)
    const [a, b] = [memberOver(via, 'a'), memberOver(await transport(), 'b')]
    await Promise.all([a.settled(), b.settled()])
    await expect.poll(() => counted(a, b)).toEqual([2, 2])
    const actions = new Float32Array(1)
    expect([...a.decide(Float32Array.of(2), actions), ...actions]).toEqual([undefined, 6])
    b.dispose()
    await expect.poll(() => counted(a)).toEqual([1])
    a.dispose()
  })

  it('go on when the server has lost all that it stored: counted, and with a new base model', async () => {
    fresh()
    const quick = { timeoutMs: 1000 } // what was under way when the server went is soon given up
    const [via, other] = [await transport(quick), await transport(quick)]
    await (await transport()).models.replace('cpu', policyFile(3), 0)
    const [a, b] = [memberOver(via, 'a'), memberOver(other, 'b')]
    await Promise.all([a.settled(), b.settled()])
    await expect.poll(() => counted(a, b)).toEqual([2, 2])
    await nats.lose()
    await nats.restart()
    await expect
      .poll(() => counted(a, b).concat(a.state === 'joined' ? 0 : 1), { interval: HEARTBEAT_MS })
      .toEqual([2, 2, 0])
    const again = memberOver(await transport(quick), 'b')
    await again.settled()
    await expect.poll(() => counted(a, again), { interval: HEARTBEAT_MS }).toEqual([2, 2])
    await expect.poll(() => via.models.replace('cpu', policyFile(4), 0).catch(() => undefined)).toBeGreaterThan(0)
    const actions = new Float32Array(1)
    const decided = async () => {
      counted(a, again) // who hears nobody for three heartbeats is isolated
      a.refreshModels()
      await a.settled()
      return [...a.decide(Float32Array.of(2), actions), ...actions]
    }
    await expect.poll(decided, { interval: HEARTBEAT_MS }).toEqual([undefined, 8])
  })
})

import { type Core, createCore, Random } from '@trimtab/core'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  AimdRate,
  CapacityOracle,
  CONGESTION_CONTROL,
  CONGESTION_CONTROL_AURORA,
  CongestionEnvironment,
  type CongestionInfo,
  type CongestionOptions,
  congestionReward,
  DelayRule,
  FixedRate,
  type Link,
  LinkSimulator,
  type NetworkRanges,
} from '../../src/congestion-control/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const never = { uniform: () => 1, integer: () => 0 }
const wide: Link = { packetsPerSecond: 200, delaySeconds: 0.05, queuePackets: 30, lossRate: 0 }

/** What 300 intervals of 0.2 s at one rate show once the queue has settled. */
function settle(link: Link, rate: number, losses: { uniform(): number; integer(n: number): number } = never) {
  const simulator = new LinkSimulator(losses)
  simulator.reset(link, rate)
  simulator.run(30)
  const sums = { sent: 0, acked: 0, lost: 0, seconds: 0, latency: 0 }
  for (let i = 0; i < 300; i++) {
    simulator.run(0.2)
    const { sent, acked, lost, seconds, meanLatency } = simulator.interval
    sums.sent += sent
    sums.acked += acked
    sums.lost += lost
    sums.seconds += seconds
    sums.latency += meanLatency * acked
  }
  return { throughput: sums.acked / sums.seconds, latency: sums.latency / sums.acked, loss: sums.lost / sums.sent }
}

describe('the link', () => {
  it('lets everything through below its bandwidth, with no queue', () => {
    const { throughput, latency, loss } = settle(wide, 120)
    expect(throughput).toBeCloseTo(120, 0)
    expect(latency).toBeCloseTo(0.1, 12)
    expect(loss).toBe(0)
  })

  it('fills its queue above its bandwidth and drops the rest', () => {
    const { throughput, latency, loss } = settle(wide, 300)
    expect(throughput / 200).toBeCloseTo(1, 1)
    expect(loss).toBeCloseTo(1 - 200 / 300, 1)
    // A full queue holds 30 packets less the one that just fits: 0.145 to 0.15 seconds.
    expect(latency).toBeGreaterThan(0.1 + 28 / 200)
    expect(latency).toBeLessThan(0.1 + 30 / 200)
  })

  it('loses by chance what it says', () => {
    const random = new Random(core, 1)
    const { loss } = settle({ ...wide, lossRate: 0.1 }, 150, random)
    random.dispose()
    expect(Math.abs(loss - 0.1)).toBeLessThan(4 * Math.sqrt((0.1 * 0.9) / (300 * 0.2 * 150))) // four deviations
  })

  // The slow truth: one list of all events in the order of time, acknowledgements before sends, smaller latencies first.
  it('does, event for event, what a list of all events does', () => {
    type Event = { time: number; kind: number; latency: number; isDropped: boolean }
    const fraction = fc.integer({ min: 1, max: 64 }).map((n) => n / 64) // binary fractions: equal times happen
    const links = fc.record({
      packetsPerSecond: fc.integer({ min: 8, max: 256 }),
      delaySeconds: fraction,
      queuePackets: fc.integer({ min: 1, max: 40 }),
      lossRate: fc.constantFrom(0, 0.2),
    })
    const rates = fc.array(fc.integer({ min: 8, max: 512 }), { minLength: 3, maxLength: 12 })
    fc.assert(
      fc.property(links, rates, fc.integer({ min: 0, max: 1000 }), (link, list, seed) => {
        const [ours, theirs] = [new Random(core, seed), new Random(core, seed)]
        const simulator = new LinkSimulator(ours)
        simulator.reset(link, list[0]!)
        let [now, queue, queueAt] = [0, 0, 0]
        const events: Event[] = [{ time: 1 / list[0]!, kind: 2, latency: 0, isDropped: false }]
        for (const rate of list) {
          simulator.rate = rate
          simulator.run(0.25)
          const seen = { sent: 0, acked: 0, lost: 0 }
          const end = now + 0.25
          while (now < end) {
            events.sort((a, b) => a.time - b.time || a.kind - b.kind || a.latency - b.latency)
            const { time, kind, latency, isDropped } = events.shift()!
            now = time
            if (kind === 0) {
              events.push({ time: now + link.delaySeconds, kind: 1, latency: latency + link.delaySeconds, isDropped })
            } else if (kind === 1) seen[isDropped ? 'lost' : 'acked']++
            else {
              seen.sent++
              const waiting = Math.max(0, queue - (now - queueAt))
              const isLost = link.lossRate > 0 && theirs.uniform() < link.lossRate
              const isFull = 1 / link.packetsPerSecond + waiting > link.queuePackets / link.packetsPerSecond
              if (!isLost) [queue, queueAt] = [isFull ? waiting : waiting + 1 / link.packetsPerSecond, now]
              const way = link.delaySeconds + waiting
              events.push({ time: now + way, kind: 0, latency: way, isDropped: isLost || isFull })
              events.push({ time: now + 1 / rate, kind: 2, latency: 0, isDropped: false })
            }
          }
          const { sent, acked, lost } = simulator.interval
          expect({ sent, acked, lost, now: simulator.seconds }).toEqual({ ...seen, now })
        }
        ours.dispose()
        theirs.dispose()
      }),
      { numRuns: 100 },
    )
  })
})

const fixed = (link: Link): NetworkRanges => ({
  name: 'fixed',
  packetsPerSecond: [link.packetsPerSecond, link.packetsPerSecond],
  delaySeconds: [link.delaySeconds, link.delaySeconds],
  queuePackets: [link.queuePackets, link.queuePackets],
  lossRate: [link.lossRate, link.lossRate],
})

type Rule = { decide(observation: Float32Array, out: Float32Array): void }
function play(
  link: Link,
  options: CongestionOptions,
  ruleOf: (world: CongestionEnvironment) => Rule,
): { reward: number; throughput: number; latency: number; loss: number } {
  const world = new CongestionEnvironment(core, fixed(link), options)
  const rule = ruleOf(world)
  const action = new Float32Array(1)
  const sums = { reward: 0, throughput: 0, latency: 0, loss: 0 }
  let observation = world.reset(1)
  for (let i = 1; i <= 400; i++) {
    rule.decide(observation, action)
    const step = world.step(action)
    const info = step.info as CongestionInfo
    observation = step.observation
    if (i <= 200) continue // what the rule has arrived at
    sums.reward += step.reward / 200
    sums.throughput += info.throughput / 200
    sums.latency += info.latency / 200
    sums.loss += info.loss / 200
  }
  world.dispose()
  return sums
}

describe('the environment', () => {
  it('changes the rate by Aurora’s factor, up and down alike, inside its limits', () => {
    const world = new CongestionEnvironment(core, fixed(wide), { startRate: 100, rates: [40, 1000] })
    world.reset(1)
    const rateAfter = (action: number): number => (world.step(Float32Array.of(action)).info as CongestionInfo).rate
    expect(rateAfter(1)).toBeCloseTo(102.5, 10)
    expect(rateAfter(-1)).toBeCloseTo(100, 10)
    expect(rateAfter(1e9)).toBe(1000)
    expect(rateAfter(-1e9)).toBe(40)
    world.dispose()
  })

  it('remembers ten intervals of three numbers, the newest last', () => {
    const world = new CongestionEnvironment(core, fixed(wide), { startRate: 250 })
    expect([...world.reset(1)]).toEqual(Array.from({ length: 10 }, () => [0, 1, 1]).flat())
    const newest: number[][] = []
    let observation = new Float32Array()
    for (let i = 0; i < 12; i++) {
      const step = world.step(Float32Array.of(0))
      const { latencyInflation, latencyRatio, sendRatio } = step.info as CongestionInfo
      newest.push([latencyInflation, latencyRatio, sendRatio])
      observation = step.observation as Float32Array<ArrayBuffer>
    }
    expect([...observation]).toEqual([...Float32Array.from(newest.slice(2).flat())])
    world.dispose()
  })

  it('shows nearly the same in larger units, in far fewer packets', () => {
    const link: Link = { packetsPerSecond: 5000, delaySeconds: 0.1, queuePackets: 400, lossRate: 0.02 }
    for (const rate of [4000, 6000]) {
      const [exact, coarse] = [5000, 100].map((packetsPerInterval) =>
        play(link, { packetsPerInterval }, (world) => new FixedRate(world, rate)),
      )
      expect(Math.abs(coarse!.throughput / exact!.throughput - 1)).toBeLessThan(0.03)
      expect(Math.abs(coarse!.latency / exact!.latency - 1)).toBeLessThan(0.03)
      expect(Math.abs(coarse!.loss - exact!.loss)).toBeLessThan(0.01)
    }
  })

  it.each([
    ['a bandwidth of zero', { packetsPerSecond: 0 }, /packetsPerSecond.*0/],
    ['a loss of one', { lossRate: 1 }, /lossRate.*1/],
    ['a NaN', { delaySeconds: Number.NaN }, /delaySeconds.*NaN/],
  ])('refuses a link with %s', (_name, change, message) => {
    expect(() => new CongestionEnvironment(core, fixed({ ...wide, ...change }))).toThrow(message)
  })

  it.each([
    ['rates', { rates: [0, 5] as const }],
    ['a step', { rateStep: Number.NaN }],
    ['packets', { leastPackets: -1 }],
  ])('refuses %s that make no sense', (_name, options) => {
    expect(() => new CongestionEnvironment(core, fixed(wide), options)).toThrow(
      expect.objectContaining({ code: 'config_invalid' }),
    )
  })
})

describe('the reward', () => {
  const outcome = { seconds: 2, acked: 601, latency: 0.5, loss: 0.05 }
  const scale = { packetsPerSecond: 400, roundTripSeconds: 0.25 }

  it('as printed: ten times the throughput, less a thousand times latency, less two thousand times loss, in thousandths', () => {
    expect(congestionReward('aurora', outcome, scale)).toBeCloseTo(3 - 0.5 - 0.1, 12)
  })

  it('relative to the link: shares of bandwidth, round trips up to six, loss', () => {
    expect(congestionReward('relative', outcome, scale)).toBeCloseTo(601 / 2 / 400 - 2 / 6 - 0.1 / 3, 12)
    const worst = { seconds: 1, acked: 0, latency: 1e9, loss: 1 }
    expect(congestionReward('relative', worst, scale)).toBeCloseTo(-5 / 3, 12)
  })
})

describe('the rules', () => {
  const lossy: Link = { packetsPerSecond: 300, delaySeconds: 0.05, queuePackets: 100, lossRate: 0.03 }
  const options = { leastPackets: 10 }

  it('who watches delay fills a lossy link; who halves at each loss does not', () => {
    const oracle = play(lossy, options, (world) => new CapacityOracle(world))
    const delay = play(lossy, options, (world) => new DelayRule(world))
    const aimd = play(lossy, options, (world) => new AimdRate(world))
    expect(oracle.throughput).toBeGreaterThan(0.85 * 300)
    expect(delay.throughput).toBeGreaterThan(0.8 * 300)
    expect(aimd.throughput).toBeLessThan(0.5 * 300)
    expect(delay.latency).toBeLessThan(1.5 * 0.1)
  })

  it('who waits for losses fills the queue of a clean link', () => {
    const clean = { ...lossy, lossRate: 0 }
    const aimd = play(clean, options, (world) => new AimdRate(world))
    const delay = play(clean, options, (world) => new DelayRule(world))
    expect(aimd.latency).toBeGreaterThan(1.2 * delay.latency)
    expect(aimd.throughput).toBeGreaterThan(0.8 * 300)
  })
})

describe('the 625 environments', () => {
  it('are every combination of a fifth of each range, once', () => {
    const all = CONGESTION_CONTROL.pool(core, 0, 625)
    const combinations = new Set(
      all.map(({ packetsPerSecond, delaySeconds, queuePackets, lossRate }) =>
        [packetsPerSecond, delaySeconds, queuePackets, lossRate].map(([low]) => low).join(),
      ),
    )
    expect(combinations.size).toBe(625)
    const ends = (of: (network: NetworkRanges) => readonly [number, number]): number[] => [
      Math.min(...all.map((n) => of(n)[0])),
      Math.max(...all.map((n) => of(n)[1])),
    ]
    // A.6: 0.1 to 128 Mbit/s in packets of 12,000 bits, 1 to 512 ms, 1 to 10,240 packets, 0 to 10 %.
    expect(ends((n) => n.packetsPerSecond)).toEqual([expect.closeTo(8.333, 3), expect.closeTo(10_666.667, 3)])
    expect(ends((n) => n.delaySeconds)).toEqual([expect.closeTo(0.001, 9), expect.closeTo(0.512, 9)])
    expect(ends((n) => n.queuePackets)).toEqual([expect.closeTo(1, 9), expect.closeTo(10_240, 6)])
    expect(ends((n) => n.lossRate)).toEqual([0, expect.closeTo(0.1, 12)])
  })

  it('are no more', () => {
    expect(() => CONGESTION_CONTROL.pool(core, 600, 26)).toThrow(/625/)
  })

  it('bound the relative reward, and as printed let wide links earn all there is', () => {
    const rewardsOf = (task: typeof CONGESTION_CONTROL): number[] =>
      task.pool(core, 0, 25).map((network) => {
        const world = task.environment(core, network)
        const rule = new CapacityOracle(world)
        const action = new Float32Array(1)
        world.reset(1)
        let sum = 0
        for (let i = 0; i < 100; i++) {
          rule.decide(action, action)
          sum += world.step(action).reward / 100
        }
        world.dispose()
        return sum
      })
    const relative = rewardsOf(CONGESTION_CONTROL)
    expect(Math.min(...relative)).toBeGreaterThan(0)
    expect(Math.max(...relative)).toBeLessThan(1)
    const printed = rewardsOf(CONGESTION_CONTROL_AURORA)
    expect(Math.max(...printed)).toBeGreaterThan((100 * Math.abs(printed.toSorted((a, b) => a - b)[12]!)) / 10)
  })
})

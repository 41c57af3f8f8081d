import { type Core, createCore, type TrimtabError } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  ANOMALY_KINDS,
  type Anomaly,
  checkCampaign,
  createPreset,
  faultFreeSlosMs,
  findBreakingRange,
  formatCampaign,
  generateCampaign,
  generateSingleCampaign,
  generateWindowCampaign,
  MicroserviceSimulator,
  parseCampaign,
} from '../../src/microservices/index.js'
import { anomalyAt, call, graphOf, hotel, service } from './worlds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

/** The error of a call. */
function errorOf(call: () => unknown): TrimtabError {
  try {
    call()
  } catch (error) {
    return error as TrimtabError
  }
  throw new Error('nothing was thrown')
}

const fileOf = (...anomalies: unknown[]): string => JSON.stringify({ format: 'trimtab-campaign/1', anomalies })

describe('a campaign file', () => {
  it('comes back as it was written', () => {
    const campaign = generateCampaign(core, hotel(core), { seed: 3, seconds: 60 })
    expect(parseCampaign(formatCampaign(campaign), hotel(core))).toEqual(campaign)
  })

  it('the documented example is one', () => {
    const campaign = parseCampaign(`{
      "format": "trimtab-campaign/1",
      "name": "two at once",
      "anomalies": [
        { "kind": "cpu", "target": { "service": "cart", "replica": 0 },
          "startSeconds": 30, "durationSeconds": 10, "pattern": "ramp", "intensity": 0.8 },
        { "kind": "workload", "target": { "request": "checkout" },
          "startSeconds": 35, "durationSeconds": 20, "intensity": 0.4 }
      ]
    }`)
    expect(campaign.name).toBe('two at once')
    expect(campaign.anomalies.map(({ kind }) => kind)).toEqual(['cpu', 'workload'])
  })

  it('is refused with every problem and its place', () => {
    const { code, message } = errorOf(() =>
      parseCampaign(
        fileOf(
          {
            kind: 'gpu',
            target: { service: 'search' },
            startSeconds: -1,
            durationSeconds: 0,
            intensity: 1.5,
            colour: 1,
          },
          { kind: 'cpu', target: { request: 'search' }, startSeconds: 0, durationSeconds: 1, intensity: '0.5' },
          {
            kind: 'cpu',
            target: { service: 'nobody' },
            startSeconds: 0,
            durationSeconds: 1,
            intensity: 0,
            pattern: 'saw',
          },
          { kind: 'cpu', target: { service: 'geo', replica: 9 }, startSeconds: 0, durationSeconds: 1, intensity: 0 },
          { kind: 'workload', target: { request: 'nothing' }, startSeconds: 0, durationSeconds: 1, intensity: 0 },
          { kind: 'workload', target: 'search', startSeconds: 0, durationSeconds: 1, intensity: 0 },
          7,
        ),
        hotel(core),
      ),
    )
    expect(code).toBe('config_invalid')
    for (const part of [
      'anomalies[0].kind must be workload, network-delay, cpu, llc, memory-bandwidth, disk-io, network-bandwidth; got "gpu"',
      'anomalies[0].startSeconds must be >= 0, got -1',
      'anomalies[0].durationSeconds must be above 0, got 0',
      'anomalies[0].intensity must be 0 … 1, got 1.5',
      'anomalies[0].colour is not a field',
      'anomalies[1].target.request is for workload; "cpu" needs a service',
      'anomalies[1].intensity must be 0 … 1, got "0.5"',
      'anomalies[2].target.service must be a service of hotel-reservation, got "nobody"',
      'anomalies[2].pattern must be constant, step, ramp, sine, random; got "saw"',
      'anomalies[3].target.replica must be a whole number 0 … ',
      'anomalies[4].target.request must be one of search, recommend, login, reserve; got "nothing"',
      'anomalies[5].target must be { service }',
      'anomalies[6] must be an object, got 7',
    ])
      expect(message).toContain(part)
  })

  it.each([
    ['no JSON', '{', 'campaign_invalid'],
    ['a list', '[]', 'campaign_invalid'],
    ['another format', '{"format":"trimtab-campaign/2"}', 'campaign_invalid'],
    ['no anomalies', '{"format":"trimtab-campaign/1"}', 'config_invalid'],
    ['other fields', '{"format":"trimtab-campaign/1","anomalies":[],"seed":1}', 'config_invalid'],
  ])('is refused: %s', (_, text, code) => {
    expect(errorOf(() => parseCampaign(text)).code).toBe(code)
  })

  it('is checked by the simulator too', () => {
    const campaign = { name: 'x', anomalies: [anomalyAt('cpu', { target: { service: 'nobody' } })] }
    expect(errorOf(() => new MicroserviceSimulator(core, hotel(core), { campaign })).message).toContain('anomalies[0]')
    expect(() => checkCampaign(campaign)).not.toThrow()
  })
})

describe('generated campaigns', () => {
  const spread = (anomalies: readonly Anomaly[], of: (anomaly: Anomaly) => string): number[] => {
    const counts = new Map<string, number>()
    for (const anomaly of anomalies) counts.set(of(anomaly), (counts.get(of(anomaly)) ?? 0) + 1)
    return [...counts.values()]
  }

  it('have exponential gaps of the wished rate, uniform kinds, patterns, intensities and targets (3.3.1)', () => {
    const { anomalies } = generateCampaign(core, hotel(core), { seed: 1, seconds: 30_000 })
    expect(anomalies.length / 30_000).toBeCloseTo(0.33, 2)
    const gaps = anomalies.slice(1).map(({ startSeconds }, i) => startSeconds - anomalies[i]!.startSeconds)
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
    const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length)
    expect(deviation / mean).toBeCloseTo(1, 1) // what makes it exponential, with the mean
    for (const [of, ways] of [
      [({ kind }: Anomaly) => kind, 7],
      [({ pattern }: Anomaly) => pattern!, 5],
      [({ intensity }: Anomaly) => String(Math.floor(intensity * 10)), 10],
      [({ target }: Anomaly) => JSON.stringify(target), 19],
    ] as const) {
      const counts = spread(anomalies, of)
      expect(counts.length).toBe(ways)
      for (const count of counts) expect(Math.abs((count * ways) / anomalies.length - 1)).toBeLessThan(0.25)
    }
    checkCampaign({ name: 'x', anomalies }, hotel(core))
  })

  it('of windows have one anomaly of each kind in each window (3.3.2)', () => {
    const { anomalies } = generateWindowCampaign(core, hotel(core), { seed: 2, windows: 5 })
    expect(anomalies.map(({ kind, startSeconds, durationSeconds }) => [kind, startSeconds, durationSeconds])).toEqual(
      [10, 20, 30, 40, 50].flatMap((start) => ANOMALY_KINDS.map((kind) => [kind, start, 10])),
    )
    expect(new Set(anomalies.map(({ intensity }) => intensity)).size).toBe(35)
  })

  it('of single anomalies start where the SLO starts to break', () => {
    const graph = hotel(core)
    const slosMs = faultFreeSlosMs(core, graph, { seed: 7, seconds: 60 })
    const { anomalies } = generateSingleCampaign(core, graph, {
      slosMs,
      seed: 2,
      kinds: ['cpu', 'workload'],
      perKind: 2,
    })
    expect(anomalies.map(({ kind }) => kind)).toEqual(['cpu', 'workload', 'cpu', 'workload'])
    expect(anomalies.map(({ startSeconds }) => startSeconds)).toEqual([10, 30, 50, 70])
    for (const { kind, target, intensity } of anomalies) {
      const range = findBreakingRange(core, graph, { kind, target, slosMs, seed: 2 })!
      expect(intensity).toBeGreaterThanOrEqual(range.start)
      expect(intensity).toBeLessThanOrEqual(range.end)
    }
  })

  it('find no intensity for what breaks nothing, and the end where everything fails', () => {
    const entry = call('a', 5, { stages: [[call('b', 5)]] })
    const graph = graphOf(entry, [service('a'), service('b'), service('idle')], { ratePerSecond: 60, timeoutMs: 500 })
    const slosMs = faultFreeSlosMs(core, graph, { seconds: 60 })
    const rangeOf = (kind: Anomaly['kind'], name: string) =>
      findBreakingRange(core, graph, { kind, target: { service: name }, slosMs })
    expect(rangeOf('disk-io', 'a')).toBeUndefined() // a does no disk I/O
    expect(rangeOf('cpu', 'idle')).toBeUndefined()
    const { start, end } = rangeOf('cpu', 'a')!
    expect(start).toBeGreaterThan(0.1)
    expect(end).toBeGreaterThan(start)
    expect(end).toBeLessThan(1)
  })

  it('are the same for the same seed and refuse what they cannot do', () => {
    const graph = createPreset(core, 'social-network')
    expect(generateCampaign(core, graph, { seed: 5 })).toEqual(generateCampaign(core, graph, { seed: 5 }))
    expect(() => generateCampaign(core, graph, { seconds: 0, ratePerSecond: 0, kinds: [] })).toThrow(
      /seconds.*rate.*kinds/,
    )
    expect(() => generateWindowCampaign(core, graph, { windows: 1.5 })).toThrow(/whole number/)
  })
})

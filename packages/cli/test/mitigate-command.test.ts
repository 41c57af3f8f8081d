import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { main } from '../src/main.js'
import { formatMitigation } from '../src/mitigation/format.js'
import type { SimulationReport, TracesReport } from '../src/mitigation/report-types.js'
import { createPaint } from '../src/terminal.js'
import { createFakeHost } from './fake-host.js'

const CAMPAIGN = JSON.stringify({
  format: 'trimtab-campaign/1',
  name: 'one stressed replica',
  anomalies: [
    {
      kind: 'disk-io',
      target: { service: 'reservation-mongodb', replica: 0 },
      ...{ startSeconds: 10, durationSeconds: 10, intensity: 0.95 },
    },
  ],
})
const NETWORK = (when: 'before' | 'after') =>
  readFileSync(new URL(`./fixtures/network-${when}.jsonl.gz`, import.meta.url))

async function call(...argv: string[]) {
  const host = createFakeHost()
  host.files.set('campaign.json', CAMPAIGN)
  host.files.set('elsewhere.json', CAMPAIGN.replace('reservation-mongodb', 'nobody'))
  for (const when of ['before', 'after'] as const) host.files.set(`${when}.jsonl.gz`, NETWORK(when))
  const code = await main(['mitigate', ...argv], host)
  return { code, out: host.out(), err: host.err() }
}

const SLOW_MS = 600_000 // minutes of a simulated hotel, on a machine that does other things too

describe('trimtab mitigate on the simulator', () => {
  const simulate = async (...argv: string[]): Promise<SimulationReport> => {
    const { code, out } = await call('--campaign', 'campaign.json', '--seconds', '25', '--json', ...argv)
    expect(code).toBe(0)
    return JSON.parse(out) as SimulationReport
  }
  let recommended: SimulationReport
  let acted: SimulationReport
  beforeAll(async () => {
    recommended = await simulate()
    acted = await simulate('--act')
  }, SLOW_MS)

  it('recommends about the stressed replica what it would do, and why; nothing is done', () => {
    const { incidents, withoutMitigation, mitigated } = recommended
    expect(mitigated).toBeUndefined()
    expect(withoutMitigation.late01).toBeGreaterThan(0)
    const incident = incidents.find(({ instance, account }) => instance === 'reservation-mongodb-0' && account)!
    expect(incident.injected).toEqual(['disk-io'])
    expect(incident.busiest.resource).toBe('diskIo')
    expect(incident.account!.route.at(-1)).toBe('reservation-mongodb')
    expect(incident.account!.predictedMs).toBeLessThan(incident.account!.lateMs)
    expect(incident.steps[0]).toMatchObject({ kind: 'limits', done: 'proposed' })
  })

  it('acts beside the same run without, and says what became of each step', () => {
    expect(acted.withoutMitigation).toEqual(recommended.withoutMitigation)
    expect(acted.mitigated!.late01).toBeLessThan(acted.withoutMitigation.late01)
    const steps = acted.incidents.flatMap((incident) => incident.steps)
    expect(steps.length).toBeGreaterThan(0)
    for (const { done, reason } of steps) {
      expect(done).not.toBe('proposed')
      expect(reason === undefined).toBe(done === 'whole')
    }
  })

  it('tells it in words: path, edge, resource, predicted gain, what was done and what was really there', () => {
    const text = formatMitigation(acted, createPaint(createFakeHost().stdout, {}))
    expect(text).toMatch(/^hotel-reservation, simulated: 25 s of 1\.6× its load, 1 anomaly$/m)
    expect(text).toMatch(/path frontend → .*reservation-mongodb; edge .* → reservation-mongodb; most used: diskIo, /)
    expect(text).toMatch(/were it as usual, they would take \d+\.\d % less: .* → /)
    expect(text).toMatch(/second \d+: raise all five limits to 8×: done/)
    expect(text).toMatch(/then: named for \d+ seconds?; after that, p99 is \d+\.\d× its SLO/)
    expect(text).toMatch(/injected there: disk-io/)
    expect(text).toMatch(/^mitigated /m)
  })
})

describe('trimtab mitigate of trace files', () => {
  it('recommends about the way that got slower, and what that promises', async () => {
    const { code, out } = await call('after.jsonl.gz', '--baseline', 'before.jsonl.gz', '--json')
    expect(code).toBe(0)
    const { recommendations } = JSON.parse(out) as TracesReport
    // 200 ms of network were added in front of cart, to requests of 20 ms.
    expect(recommendations).toHaveLength(1)
    expect(recommendations[0]).toMatchObject({ service: 'cart', route: ['frontend', 'cart'], resource: 'network' })
    expect(recommendations[0]!.whatIf!.gain01).toBeCloseTo(0.907, 2)
    const text = await call('after.jsonl.gz', '--baseline', 'before.jsonl.gz')
    expect(text.out).toMatch(/path frontend → cart; edge frontend → cart/)
    expect(text.out).toMatch(/nothing was changed/)
  })

  it('ends with 1 where nothing stands out', async () => {
    const { code, out } = await call('before.jsonl.gz', '--baseline', 'before.jsonl.gz')
    expect(out).toMatch(/No service stands out/)
    expect(code).toBe(1)
  })
})

it.each([
  [['after.jsonl.gz'], /--baseline FILE is needed/],
  [['--baseline', 'before.jsonl.gz'], /name the traces of the bad time/],
  [['after.jsonl.gz', '--baseline', 'before.jsonl.gz', '--act'], /trace files cannot be acted on/],
  [['--preset', 'motel'], /must be one of hotel, social, train, media/],
  [['--campaign', 'elsewhere.json'], /nobody/],
  [['--campaign', 'before.jsonl.gz'], /a campaign is a JSON file/],
])('refuses %j before anything runs', async (argv, why) => {
  const { code, out, err } = await call(...argv)
  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(why)
})

import { describe, expect, it } from 'vitest'
import type { RunTick } from '../src/gpu/drive.js'
import { RunRecord } from '../src/gpu/run-record.js'

const NOTHING: RunTick = {
  ...{ seconds: 0, latencyMs: undefined, problem: undefined, slack: undefined, action: 'same', wantedMhz: 1000 },
  ...{ clockMhz: undefined, powerWatts: undefined, energyJoules: undefined, utilisation01: undefined },
  isScaleOutNeeded: false,
}
const tickAt = (seconds: number, known: Partial<RunTick> = {}): RunTick => ({ ...NOTHING, seconds, ...known })

describe('the record of a run', () => {
  it('sums up what was known', () => {
    const record = new RunRecord(100)
    record.add(tickAt(0, { latencyMs: 100, clockMhz: 900, powerWatts: 50, energyJoules: 0 }))
    record.add(tickAt(1))
    record.add(tickAt(2, { latencyMs: 101, clockMhz: 1100, wantedMhz: 800, energyJoules: 90 }))
    expect(record.summarise()).toEqual({
      ...{ seconds: 2, ticks: 3, sloAttainment01: 0.5, unknownTicks: 1 },
      ...{ meanClockMhz: 1000, lowestWantedMhz: 800, meanPowerWatts: 50, energyJoules: 90 },
    })
    expect(record.ticks).toHaveLength(3)
  })

  it('says nothing of what was never known', () => {
    const { sloAttainment01, meanClockMhz, meanPowerWatts } = new RunRecord(1).summarise()
    expect([sloAttainment01, meanClockMhz, meanPowerWatts]).toEqual([undefined, undefined, undefined])
  })

  it('stays small however long the run is, and its ticks stay even', () => {
    const record = new RunRecord(100)
    const count = 100_000
    for (let second = 0; second < count; second++) record.add(tickAt(second))
    expect(record.summarise().ticks).toBe(count)
    const { ticks } = record
    expect(ticks.length).toBeGreaterThan(10_000)
    expect(ticks.length).toBeLessThanOrEqual(20_000)
    const gaps = new Set(ticks.slice(1).map(({ seconds }, i) => seconds - ticks[i]!.seconds))
    expect(gaps.size).toBe(1)
  })
})

import { createTenantTelemetry } from '@trimtab/tasks/serverless'
import { describe, expect, it } from 'vitest'
import { PoolTally } from '../src/pool-tally.js'

describe('the tally of a pool', () => {
  it('says of a step what came, what it takes and how busy the containers were', () => {
    const tally = new PoolTally(0)
    const telemetry = createTenantTelemetry()
    tally.starting()
    tally.note({ busy: 0, warm: 0, starting: 1, alive: 1 }, 0)
    tally.ready(500)
    tally.note({ busy: 1, warm: 2, starting: 0, alive: 2 }, 500)
    for (let i = 0; i < 4; i++) {
      tally.arrived()
      tally.ran(100, 25)
      tally.ended(150 + i)
    }
    tally.step(telemetry, 2000, 300)
    expect(telemetry).toMatchObject({
      ...{ timeSeconds: 2, stepSeconds: 2, arrivals: 4, coldStarts: 1, coldStartSeconds: 0.5, dropped: 0 },
      demandContainers: 0.2, // 2 a second, 100 ms each
      demandCores: 0.05,
      p99Ms: 153,
      usedCores: 0.15,
      occupancy01: 0.5,
      ioShare01: 0.75,
    })
    expect(tally.totals(2000, 300)).toEqual({ started: 1, containerSeconds: 0.5 + 2 * 1.5, cpuSeconds: 0.3 })
  })

  it('begins each step anew, but remembers what a request and a start take', () => {
    const tally = new PoolTally(0)
    const telemetry = createTenantTelemetry()
    tally.arrived()
    tally.ran(100, 100)
    tally.ended(100)
    tally.step(telemetry, 1000, 100)
    tally.step(telemetry, 2000, 100)
    expect(telemetry).toMatchObject({ arrivals: 0, demandContainers: 0, demandCores: 0, usedCores: 0, timeSeconds: 2 })
    expect(telemetry.p99Ms).toBeNaN()
    expect(telemetry.occupancy01).toBeNaN()
    tally.arrived()
    tally.step(telemetry, 3000, 100)
    expect(telemetry.demandContainers).toBeCloseTo(0.1, 12)
  })

  it('says that it does not know what a request takes before any has run', () => {
    const tally = new PoolTally(0)
    const telemetry = createTenantTelemetry()
    tally.arrived()
    tally.step(telemetry, 1000, 0)
    expect([telemetry.demandContainers, telemetry.demandCores, telemetry.p99Ms]).toEqual([NaN, NaN, NaN])
  })
})

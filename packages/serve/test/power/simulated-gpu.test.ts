import { describe, expect, it } from 'vitest'
import { idleWatts, SimulatedGpu, V100 } from '../../src/index.js'

describe('simulated GPU', () => {
  it('counts the energy of every clock it was locked at', async () => {
    let nowMs = 0
    const gpu = new SimulatedGpu(V100, { now: () => nowMs })
    nowMs = 1000
    await gpu.lock(500)
    nowMs = 3000
    const { clockMhz, powerWatts, energyJoules } = await gpu.read()
    expect(clockMhz).toBe(500)
    expect(powerWatts).toBe(idleWatts(V100, 500))
    expect(energyJoules).toBeCloseTo(idleWatts(V100, 1380) + 2 * idleWatts(V100, 500), 9)
    await gpu.reset()
    expect((await gpu.read()).clockMhz).toBe(1380)
  })

  it('draws more when busy, and refuses clocks it does not have', async () => {
    const gpu = new SimulatedGpu(V100, { now: () => 0 }, { utilisation01: () => 1 })
    expect((await gpu.read()).powerWatts).toBeGreaterThan(110)
    await expect(gpu.lock(501)).rejects.toThrow(/no clock of 501 MHz/)
  })
})

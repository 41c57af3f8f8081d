import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FrequencyScaler, type GpuClock, LatencyMonitor, scaleFrequency } from '../../src/index.js'

const scaler = (more = {}): FrequencyScaler =>
  new FrequencyScaler({ minimumMhz: 200, maximumMhz: 1380, stepMhz: 100, ...more })
const partition = (latencyMs: number | undefined, name = 'gpt2', weight = 1) => ({
  name,
  sloLatencyMs: 1000,
  latencyMs,
  weight,
})

describe('GPU frequency scaling (Algorithm 6.3, MIAD)', () => {
  it('steps down while the slack is larger than what the step will cost, then holds', () => {
    const miad = scaler()
    const clocks = Array.from({ length: 16 }, () => miad.decide([partition((500 * 1380) / miad.clockMhz)]).clockMhz)
    expect(clocks.slice(0, 4)).toEqual([1280, 1180, 1080, 980])
    // At 780 MHz the model takes 885 ms: 100 MHz less would cost 11 % of the SLO, the slack leaves 6.5 % above its margin.
    expect(new Set(clocks.slice(6))).toEqual(new Set([780]))
  })

  it('doubles when any slack is below 0.05, not above the maximum', () => {
    const miad = scaler()
    for (let i = 0; i < 10; i++) miad.decide([partition(0)])
    expect(miad.clockMhz).toBe(380)
    const up = miad.decide([partition(10, 'bert'), partition(951)])
    expect(up).toMatchObject({
      action: 'up',
      clockMhz: 760,
      isChanged: true,
      decidedBy: 'gpt2',
      slack: expect.closeTo(0.049),
    })
    expect(miad.decide([partition(2000)]).clockMhz).toBe(1380)
  })

  it('goes down only when every partition allows it (the print lets any one do so)', () => {
    const miad = scaler()
    expect(miad.decide([partition(100), partition(900, 'opt')]).action).toBe('same')
    expect(miad.decide([partition(900, 'opt'), partition(100)]).action).toBe('same')
    expect(miad.decide([partition(900, 'opt', 0), partition(100)]).action).toBe('down')
  })

  it('does not set a clock that is the same', () => {
    const miad = scaler({ minimumMhz: 1300 })
    expect(miad.decide([partition(0)])).toMatchObject({ clockMhz: 1300, isChanged: true })
    expect(miad.decide([partition(0)])).toMatchObject({ action: 'down', clockMhz: 1300, isChanged: false })
  })

  it('goes to the maximum when a latency is missing or NaN, and says whose', () => {
    for (const missing of [undefined, NaN]) {
      const miad = scaler()
      for (let i = 0; i < 9; i++) miad.decide([partition(0)])
      const decision = miad.decide([partition(0), partition(missing, 'opt')])
      expect(decision).toMatchObject({ action: 'up', clockMhz: 1380, unknown: ['opt'], isScaleOutNeeded: false })
    }
  })

  it('asks for more instances after repeated UP at the maximum, and no longer once there is slack', () => {
    const miad = scaler({ scaleOutAfter: 3 })
    const late = Array.from({ length: 4 }, () => miad.decide([partition(1200)]).isScaleOutNeeded)
    expect(late).toEqual([false, false, true, true])
    expect(miad.decide([partition(100)]).isScaleOutNeeded).toBe(false)
    expect(miad.decide([partition(1200)]).isScaleOutNeeded).toBe(false)
  })

  it('stays between its clocks and never slows into an SLO that latency follows linearly', () => {
    const models = fc.array(
      fc.record({
        base: fc.double({ min: 1, max: 1400, noNaN: true }),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      {
        minLength: 1,
        maxLength: 5,
      },
    )
    fc.assert(
      fc.property(models, (partitions) => {
        const miad = scaler()
        const latency = ({ base, share }: { base: number; share: number }): number =>
          base * (1 - share + (share * 1380) / miad.clockMhz)
        for (let i = 0; i < 30; i++) {
          const before = partitions.map(latency)
          const { action } = miad.decide(before.map((latencyMs, index) => partition(latencyMs, `m${index}`)))
          expect(miad.clockMhz).toBeGreaterThanOrEqual(200)
          expect(miad.clockMhz).toBeLessThanOrEqual(1380)
          // Of a step of 100 MHz the linear estimate misses at most 1/(1 − 100/f): 2× at 200 MHz, little above.
          if (action === 'down' && miad.clockMhz > 600) expect(Math.max(...partitions.map(latency))).toBeLessThan(1000)
        }
      }),
    )
  })

  it('refuses impossible settings, all at once, and an SLO that is none', () => {
    expect(() => scaler({ minimumMhz: 1500, stepMhz: 0, slackMargin: 1 })).toThrow(
      /1500 is above .* stepMhz .* slackMargin/,
    )
    expect(() => scaler().decide([{ name: 'bert', sloLatencyMs: 0, latencyMs: 1 }])).toThrow(
      /bert: sloLatencyMs must be > 0, got 0/,
    )
  })
})

describe('latency monitor', () => {
  it('tells the tail of what finished in the window, or the age of the oldest request under way', () => {
    const monitor = new LatencyMonitor({ windowMs: 1000 })
    expect(monitor.latencyMs(0)).toBe(0)
    const first = monitor.arrived(0)
    const second = monitor.arrived(100)
    expect(monitor.latencyMs(300)).toBe(300)
    monitor.finished(first, 400)
    monitor.finished(first, 500)
    expect(monitor.latencyMs(450)).toBe(400)
    expect(monitor.latencyMs(900)).toBe(800)
    monitor.abandoned(second)
    expect(monitor.latencyMs(900)).toBe(400)
    expect(monitor.latencyMs(1400)).toBe(0)
  })
})

describe('frequency loop', () => {
  const fakeGpu = (log: string[], failAt = Infinity): GpuClock => {
    let clockMhz = 1380
    return {
      name: 'GPU-fake',
      supportedClocksMhz: [200, 690, 1035, 1380],
      read: async () => ({ clockMhz, powerWatts: undefined, energyJoules: undefined, utilisation01: undefined }),
      lock: async (mhz) => {
        if (log.length >= failAt) throw new Error('lost')
        clockMhz = mhz
        log.push(`lock ${mhz}`)
      },
      reset: async () => void log.push('reset'),
    }
  }

  it('sets supported clocks only when they change, and gives the clock back when stopped', async () => {
    const log: string[] = []
    const stop = new AbortController()
    let ticks = 0
    const nextTick = async (): Promise<void> => {
      if (++ticks === 9) stop.abort()
    }
    const loop = scaleFrequency({
      gpu: fakeGpu(log),
      scaler: scaler(),
      latencies: () => [partition(0)],
      nextTick,
      signal: stop.signal,
    })
    const locked: number[] = []
    for await (const tick of loop) locked.push(tick.lockedMhz)
    expect(locked).toEqual([1380, 1380, 1380, 1035, 1035, 1035, 690, 690, 690])
    expect(log).toEqual(['lock 1380', 'lock 1035', 'lock 690', 'reset'])
  })

  it('gives the clock back when the listener leaves and when the device fails', async () => {
    const signal = new AbortController().signal
    const run = async (gpu: GpuClock, ticks: number): Promise<void> => {
      let seen = 0
      for await (const _ of scaleFrequency({
        gpu,
        scaler: scaler(),
        latencies: () => [partition(0)],
        nextTick: async () => {},
        signal,
      })) {
        if (++seen === ticks) break
      }
    }
    const left: string[] = []
    await run(fakeGpu(left), 2)
    expect(left).toEqual(['lock 1380', 'reset'])
    const lost: string[] = []
    await expect(run(fakeGpu(lost, 1), 99)).rejects.toThrow('lost')
    expect(lost).toEqual(['lock 1380', 'reset'])
  })
})

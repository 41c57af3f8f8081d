import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  findGpu,
  type GpuNotice,
  Nvml,
  NvmlGpuClock,
  observeOnly,
  observeWhenRefused,
  readLeases,
  restoreAll,
} from '../src/index.js'
import { FakeNvml, HAS_GCC, sayUnchecked } from './fake/index.js'

if (!HAS_GCC) sayUnchecked('locked clocks')

describe.runIf(HAS_GCC)('NvmlGpuClock', () => {
  let fake: FakeNvml
  let nvml: Nvml
  let notices: GpuNotice[]
  let seconds = 0
  const opened: NvmlGpuClock[] = []

  const open = (selector?: string): NvmlGpuClock => {
    const clock = NvmlGpuClock.open(findGpu(nvml, selector), {
      leaseFolder: fake.leaseFolder,
      now: () => seconds,
      onNotice: (notice) => notices.push(notice),
    })
    opened.push(clock)
    return clock
  }
  /** A lease as a process leaves it that no longer runs: no number is that high. */
  const leaveLease = (lockedMhz: number, owner: object = {}) => {
    const pid = 4_194_305
    const text = JSON.stringify({ pid, command: 'gateway', since: 'then', lockedMhz, ...owner })
    writeFileSync(join(fake.leaseFolder, `GPU-fake-0.${pid}-1.json`), text)
  }

  beforeAll(async () => {
    fake = new FakeNvml().install()
    nvml = await Nvml.open(fake.library)
  })
  beforeEach(() => {
    fake.forget()
    notices = []
    seconds = 0
  })
  afterEach(() => {
    fake.set()
    for (const clock of opened.splice(0)) clock.dispose()
  })
  afterAll(() => fake.remove())

  it('locks, looks whether that was honoured, and gives back', async () => {
    const clock = open()
    await clock.lock(900)
    expect(fake.lockedMhz()).toBe(900)
    expect(await clock.read()).toMatchObject({ lockedMhz: 900, clockMhz: 900, verdict: undefined }) // too early to tell
    seconds = 1
    expect(await clock.read()).toMatchObject({ lockedMhz: 900, clockMhz: 900, verdict: { state: 'honoured' } })
    await clock.reset()
    await clock.reset()
    expect(fake.journal()).toEqual(['lock 0 900 900', 'reset 0'])
    expect(notices).toEqual([])
  })

  it('locks the next supported clock above, and says so once', async () => {
    const clock = open()
    await clock.lock(700)
    await clock.lock(701)
    await clock.lock(5000)
    expect(fake.journal()).toEqual(['lock 0 705 705', 'lock 0 705 705', 'lock 0 1410 1410'])
    expect(notices).toMatchObject(
      [{ kind: 'snapped', message: /no clock of 700 MHz: 705 MHz is locked/ }].map(matching),
    )
  })

  it.each([
    [
      'the driver ignores it',
      { honour: 0 },
      /900 MHz was accepted, but the clock is 1410 MHz: the driver ignores the lock/,
    ],
    ['a power cap', { capped: 600 }, /the clock is 600 MHz: held down by power cap \(103 of 300 W\)/],
  ])('says when a clock was accepted and not honoured: %s', async (_, weather, message) => {
    fake.set(weather)
    const clock = open()
    await clock.lock(900)
    for (seconds = 1; seconds < 5; seconds++) expect((await clock.read()).verdict?.state).toBe('not honoured')
    expect(notices).toMatchObject([matching({ kind: 'not_honoured', message })])
    clock.dispose()
    expect(fake.lockedMhz()).toBeUndefined()
  })

  it('judges a lock before the next one, for a scaler that changes its mind at every turn', async () => {
    fake.set({ honour: 0 })
    const clock = open()
    for (seconds = 0; seconds < 3; seconds++) await clock.lock(900 - 15 * seconds)
    expect(notices.map(({ kind }) => kind)).toEqual(['not_honoured'])
  })

  it('does not judge a GPU that rests', async () => {
    fake.set({ idle: 1 })
    const clock = open()
    await clock.lock(900)
    seconds = 1
    expect((await clock.read()).verdict).toEqual({ state: 'idle' })
    expect(notices).toEqual([])
  })

  it('throws a permission error where the driver refuses, and leaves nothing behind', async () => {
    fake.set({ denied: 1 })
    const clock = open()
    await expect(clock.lock(900)).rejects.toMatchObject({
      name: 'NvmlPermissionError',
      code: 'nvml_no_permission',
      status: 4,
    })
    clock.dispose()
    expect(fake.journal()).toEqual([])
    expect(readdirSync(fake.leaseFolder)).toEqual([])
  })

  it.each([10, 999])('gives back what may have been locked, though the driver said %d', async (status) => {
    fake.set({ late_status: status })
    const clock = open()
    await expect(clock.lock(900)).rejects.toMatchObject({ status })
    expect(readLeases([fake.leaseFolder])).toMatchObject([{ lockedMhz: 900 }])
    await clock.reset()
    expect(fake.lockedMhz()).toBeUndefined()
    expect(readLeases([fake.leaseFolder])).toMatchObject([{ owner: 'alive' }])
  })

  it('only watches once the driver has refused, with one message', async () => {
    fake.set({ denied: 1 })
    const clock = observeWhenRefused(open(), (notice) => notices.push(notice))
    for (const mhz of [900, 885, 870]) await clock.lock(mhz)
    await clock.reset()
    expect(clock.isRefused).toBe(true)
    expect(await clock.read()).toMatchObject({ clockMhz: 1410, powerWatts: 300 })
    expect(notices).toMatchObject([
      matching({
        kind: 'refused',
        message:
          /^Fake A100 \(GPU-fake-0\): this user may not: run as root.*\(nvmlDeviceSetGpuLockedClocks: NVML error 4\); only watching/,
      }),
    ])
  })

  it('sets nothing through an observer, and passes on what was asked', async () => {
    const asked: (number | undefined)[] = []
    const clock = observeOnly(
      findGpu(nvml),
      () => seconds,
      (mhz) => asked.push(mhz),
    )
    await clock.lock(900)
    await clock.reset()
    expect([asked, fake.journal()]).toEqual([[900, undefined], []])
    expect(await clock.read()).toMatchObject({ clockMhz: 1410 })
  })

  it('locks the parent of a MIG slice, and says that all slices share its clock', async () => {
    fake.set({ mig: 1 })
    const clock = open('MIG-fake-0')
    await clock.lock(900)
    expect([clock.name, fake.lockedMhz()]).toEqual(['GPU-fake-0', 900])
    expect(notices).toMatchObject([
      matching({ kind: 'mig_shared', message: /MIG-fake-0 is a slice of it; MIG is on: all slices share/ }),
    ])
  })

  it('says once that energy is integrated, and that a lock may be forgotten without persistence mode', async () => {
    fake.set({ no_energy: 1, persistence: 0 })
    const clock = open()
    await clock.read()
    seconds = 1
    expect(await clock.read()).toMatchObject({ energyJoules: 300, energySource: 'integrated' })
    expect(notices.map(({ kind }) => kind)).toEqual(['not_persistent', 'energy_integrated'])
  })

  it('throws when the GPU is lost, keeps its lease, and gives back once it has returned', async () => {
    const clock = open()
    await clock.lock(900)
    fake.set({ lost: 1 })
    await expect(clock.read()).rejects.toMatchObject({ code: 'nvml_gpu_lost' })
    await expect(clock.lock(600)).rejects.toMatchObject({ code: 'nvml_gpu_lost' })
    await expect(clock.reset()).rejects.toMatchObject({ code: 'nvml_gpu_lost' })
    expect(readLeases([fake.leaseFolder])).toMatchObject([{ lockedMhz: 900, owner: 'alive' }])
    fake.set()
    clock.dispose()
    expect(fake.lockedMhz()).toBeUndefined()
  })

  it.each([[NaN], [0], [-5], [Number.POSITIVE_INFINITY]])(
    'refuses %d as a clock before anything is set',
    async (mhz) => {
      await expect(open().lock(mhz)).rejects.toMatchObject({ code: 'config_invalid' })
      expect(fake.journal()).toEqual([])
    },
  )

  it('refuses a GPU without a list of clocks, and an old driver that cannot lock', async () => {
    fake.set({ no_clock_list: 1 })
    expect(() => open()).toThrow(/lists no clocks that could be locked.*only be watched/)
    const old = new FakeNvml(['-DNO_LOCK'])
    try {
      fake.set()
      const gpu = findGpu(await Nvml.open(old.library))
      const clock = NvmlGpuClock.open(gpu, { leaseFolder: fake.leaseFolder })
      await expect(clock.lock(900)).rejects.toMatchObject({
        code: 'nvml_no_function',
        message: /too old for it: update/,
      })
      clock.dispose()
    } finally {
      old.remove()
    }
  })

  it('does not lock without a lease: a crash could not be mended', async () => {
    writeFileSync(`${fake.folder}/file`, '')
    const options = { leaseFolder: `${fake.folder}/file` }
    expect(() => NvmlGpuClock.open(findGpu(nvml), options)).toThrow(
      /cannot be written .* without it a crash would leave the clock locked/,
    )
  })

  it('is one at a time on a GPU, while another GPU is free', () => {
    fake.set({ gpus: 2 })
    const first = open('0')
    expect(() => open('0')).toThrow(/GPU-fake-0 is already driven by process \d+ .* two would undo each other's clocks/)
    expect(open('1').name).toBe('GPU-fake-1')
    first.dispose()
    expect(open('0').name).toBe('GPU-fake-0')
  })

  it('gives back for good when disposed, twice or not', async () => {
    const clock = open()
    await clock.lock(900)
    clock.dispose()
    clock.dispose()
    await expect(clock.lock(900)).rejects.toMatchObject({ code: 'gpu_clock_disposed' })
    expect(fake.journal()).toEqual(['lock 0 900 900', 'reset 0'])
    expect(readdirSync(fake.leaseFolder)).toEqual([])
  })

  describe('after a process that died', () => {
    beforeEach(() => open().dispose()) // makes the folder

    it('gives back what it left locked, and says whose it was', () => {
      leaveLease(810)
      open()
      expect(fake.journal()).toEqual(['reset 0'])
      expect(notices).toMatchObject([
        matching({
          kind: 'restored',
          message: /process 4194305 \(gateway\) died and left the clock locked at 810 MHz/,
        }),
      ])
      expect(readLeases([fake.leaseFolder])).toHaveLength(1)
    })

    it('touches nothing when it had locked nothing', () => {
      leaveLease(810, { lockedMhz: undefined })
      open()
      expect(fake.journal()).toEqual([])
    })

    it('keeps the lease and says so when the clock may not be reset', () => {
      leaveLease(810)
      fake.set({ denied: 1 })
      expect(() => open()).toThrow(/NVML error 4/)
      expect(readLeases([fake.leaseFolder])).toMatchObject([{ lockedMhz: 810, owner: 'dead' }])
    })

    it('takes a number that was given to another process since for dead', () => {
      const file = join(fake.leaseFolder, `GPU-fake-0.${process.ppid}-1.json`)
      writeFileSync(file, JSON.stringify({ pid: process.ppid, startTime: '1', lockedMhz: 600 }))
      open()
      expect(fake.journal()).toEqual(['reset 0'])
    })

    it('does not guess about a process of another container', () => {
      leaveLease(810, { pidNamespace: 'pid:[1]' })
      expect(() => open()).toThrow(
        /may be driven by process 4194305 .* of another container, which cannot be asked: remove .*json if it is gone/,
      )
      expect(fake.journal()).toEqual([])
    })

    it('reads a lease that was cut short by its name alone', () => {
      writeFileSync(join(fake.leaseFolder, 'GPU-fake-0.4194305-1.json'), '{"pid":41')
      writeFileSync(join(fake.leaseFolder, 'README'), 'not a lease')
      open()
      expect([fake.journal(), readLeases([fake.leaseFolder]).length]).toEqual([[], 1])
      expect(existsSync(join(fake.leaseFolder, 'README'))).toBe(true)
    })

    it('gives back on every GPU when asked to, without opening one', () => {
      leaveLease(810)
      expect(restoreAll(nvml, [fake.leaseFolder])).toMatchObject([{ state: 'restored', lease: { lockedMhz: 810 } }])
      leaveLease(810)
      fake.set({ denied: 1 })
      expect(restoreAll(nvml, [fake.leaseFolder])).toMatchObject([
        { state: 'failed', error: { code: 'nvml_no_permission' } },
      ])
    })

    it('writes into its lease what is locked, before it is', async () => {
      const clock = open()
      await clock.lock(900)
      const [name] = readdirSync(fake.leaseFolder)
      expect(JSON.parse(readFileSync(join(fake.leaseFolder, name!), 'utf8'))).toMatchObject({
        ...{ gpu: 'GPU-fake-0', pid: process.pid, lockedMhz: 900 },
      })
    })
  })
})

const matching = ({ kind, message }: { readonly kind: string; readonly message: RegExp }) => ({
  kind,
  message: expect.stringMatching(message),
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  findGpu,
  findVisibleGpu,
  listGpus,
  Nvml,
  NvmlError,
  NvmlGpuLostError,
  NvmlPermissionError,
  NvmlUnavailableError,
  NvmlUnsupportedError,
  throttleReasons,
} from '../src/index.js'
import { toNvmlError } from '../src/status.js'
import { FakeNvml, HAS_GCC, sayUnchecked } from './fake/index.js'

if (!HAS_GCC) sayUnchecked('NVML')

describe.runIf(HAS_GCC)('NVML', () => {
  let fake: FakeNvml
  let nvml: Nvml
  beforeAll(async () => {
    fake = new FakeNvml().install()
    nvml = await Nvml.open(fake.library)
  })
  beforeEach(() => fake.forget())
  afterAll(() => fake.remove())

  it('lists GPUs by UUID with what they are', () => {
    fake.set({ gpus: 2 })
    const gpus = listGpus(nvml).map((gpu) => gpu.describe())
    expect(gpus.map(({ index, uuid }) => [index, uuid])).toEqual([
      [0, 'GPU-fake-0'],
      [1, 'GPU-fake-1'],
    ])
    expect(gpus[0]).toEqual({
      ...{ index: 0, uuid: 'GPU-fake-0', name: 'Fake A100' },
      ...{ memoryTotalBytes: 80 * 2 ** 30, memoryUsedBytes: 20 * 2 ** 30 },
      ...{ clockMhz: 1410, minClockMhz: 210, maxClockMhz: 1410, powerWatts: 300, powerLimitWatts: 300 },
      ...{ isMig: false, isPersistent: true },
    })
    expect(nvml.driverVersion()).toBe('570.00-fake')
  })

  it('asks for the length of a list of clocks before it asks for the list', () => {
    const clocks = findGpu(nvml).supportedClocksMhz()
    expect([clocks.length, clocks[0], clocks[1], clocks.at(-1)]).toEqual([81, 210, 225, 1410])
  })

  it('finds a GPU by UUID, by index, as the only one, and by one of its slices', () => {
    expect(findGpu(nvml).uuid).toBe('GPU-fake-0')
    expect(findGpu(nvml, '0').uuid).toBe('GPU-fake-0')
    expect(findGpu(nvml, 'GPU-fake-0').uuid).toBe('GPU-fake-0')
    const parent = findGpu(nvml, 'MIG-fake-0')
    expect([parent.uuid, parent.slice]).toEqual(['GPU-fake-0', 'MIG-fake-0'])
  })

  it.each([
    ['1', 'GPU-fake-1'],
    ['GPU-fake-1', 'GPU-fake-1'],
    ['MIG-fake-1', 'GPU-fake-1'],
    [' 2 , -1, 0', 'GPU-fake-2'],
    ['MIG-fake-1,GPU-fake-1', 'GPU-fake-1'],
  ])('finds the only GPU that CUDA shows: %s', (shown, uuid) => {
    fake.set({ gpus: 3 })
    const notices: string[] = []
    const find = (selector?: string) =>
      findVisibleGpu(nvml, selector, { CUDA_VISIBLE_DEVICES: shown }, (message) => notices.push(message)).uuid
    expect(find()).toBe(uuid)
    expect(find(uuid)).toBe(uuid)
    expect(notices).toEqual([])
    expect(find('0')).toBe('GPU-fake-0')
    expect(notices).toEqual([expect.stringMatching(/does not show Fake A100 \(GPU-fake-0\)/)])
  })

  it('says when CUDA shows none, or several, or counts them in an order that nobody else knows', () => {
    const find = (shown: string, order?: string) => (): string =>
      findVisibleGpu(nvml, undefined, { CUDA_VISIBLE_DEVICES: shown, CUDA_DEVICE_ORDER: order }, () => {}).uuid
    fake.set({ gpus: 2 })
    expect(find('')).toThrow(expect.objectContaining({ code: 'gpu_hidden' }))
    expect(find('0,1')).toThrow(expect.objectContaining({ code: 'gpu_ambiguous' }))
    fake.set({ gpus: 2, mixed: 1 })
    expect(find('1')).toThrow(/CUDA_DEVICE_ORDER=PCI_BUS_ID/)
    expect(find('1', 'PCI_BUS_ID')()).toBe('GPU-fake-1')
    expect(find('GPU-fake-1')()).toBe('GPU-fake-1')
  })

  it.each([
    [undefined, 2, 'gpu_ambiguous', /there are 2 GPUs: name one by its UUID/],
    ['3', 1, 'gpu_unknown', /no GPU 3: the driver knows 1/],
    ['GPU-other', 1, 'nvml_not_found', /GPU-other: there is no such thing: trimtab gpu list/],
    [undefined, 0, 'nvml_no_gpu', /the driver found no GPU/],
  ])('says what is wrong when %s is asked for among %i', (selector, gpus, code, message) => {
    fake.set({ gpus })
    const error = failureOf(() => findGpu(nvml, selector))
    expect(error).toMatchObject({ code })
    expect(error?.message).toMatch(message)
  })

  it('reads clocks, power, energy, utilisation and what holds the clock down', () => {
    const sample = findGpu(nvml).sample(1.5)
    expect(sample).toMatchObject({
      ...{ seconds: 1.5, clockMhz: 1410, memoryClockMhz: 1593, powerWatts: 300, powerLimitWatts: 300 },
      ...{ utilisation01: 0.87, memoryUtilisation01: 0.4, temperatureCelsius: 55, throttleReasons: [] },
      energySource: 'counter',
    })
    expect(sample.energyJoules).toBeGreaterThan(0)
    fake.set({ capped: 900 })
    expect(findGpu(nvml).sample(2)).toMatchObject({ clockMhz: 900, throttleReasons: ['power cap'] })
    expect(throttleReasons(0x1n | 0x40n | 0x8000n)).toEqual(['idle', 'hardware thermal'])
  })

  it('integrates power where there is no energy counter, and says so', () => {
    fake.set({ no_energy: 1 })
    const gpu = findGpu(nvml)
    expect(gpu.sample(10)).toMatchObject({ energyJoules: 0, energySource: 'integrated' })
    expect(gpu.sample(12)).toMatchObject({ energyJoules: 600, energySource: 'integrated' })
    fake.set() // a counter that comes back has another origin
    expect(gpu.sample(13)).toMatchObject({ energyJoules: 900, energySource: 'integrated' })
  })

  it('leaves out what MIG does not offer, and is not stopped by it', () => {
    fake.set({ mig: 1 })
    const gpu = findGpu(nvml)
    expect(gpu.isMig).toBe(true)
    expect(gpu.sample(0)).toMatchObject({ utilisation01: undefined, memoryUtilisation01: undefined, clockMhz: 1410 })
  })

  it('says that a GPU is lost instead of giving readings without values', () => {
    const gpu = findGpu(nvml)
    fake.set({ lost: 1 })
    const error = failureOf(() => gpu.sample(0))
    expect(error).toBeInstanceOf(NvmlGpuLostError)
    expect(error?.message).toMatch(
      /^Fake A100 \(GPU-fake-0\): the GPU has fallen off the bus: see dmesg.*NVML error 15\)$/,
    )
    const lost: Error[] = []
    expect(listGpus(nvml, (problem) => lost.push(problem))).toEqual([])
    expect(lost[0]?.message).toMatch(/^GPU 0: the GPU has fallen off the bus/)
  })

  it('reads on with an old driver: throttle reasons by their old name, energy integrated, no MIG', async () => {
    const old = new FakeNvml(['-DOLD_DRIVER'])
    try {
      const gpu = findGpu(await Nvml.open(old.library))
      fake.set({ capped: 1200 })
      expect(gpu.isMig).toBe(false)
      expect(gpu.sample(0)).toMatchObject({ throttleReasons: ['power cap'], energySource: 'integrated' })
    } finally {
      old.remove()
    }
  })

  it('says what a driver that cannot be reached needs', async () => {
    fake.set({ init: 18 })
    await expect(Nvml.open(fake.library)).rejects.toMatchObject({
      ...{ name: 'NvmlUnavailableError', code: 'nvml_version_mismatch', status: 18, call: 'nvmlInit_v2' },
      message: expect.stringMatching(/different versions: reboot, or reload the driver/),
    })
  })

  it('may be disposed twice', async () => {
    const second = await Nvml.open(fake.library)
    second.dispose()
    second.dispose()
    expect(nvml.deviceCount()).toBe(1)
  })
})

describe('errors of NVML', () => {
  it.each([
    [3, NvmlUnsupportedError, 'nvml_not_supported', /does not offer it/],
    [4, NvmlPermissionError, 'nvml_no_permission', /run as root/],
    [9, NvmlUnavailableError, 'nvml_no_driver', /modprobe nvidia/],
    [13, NvmlUnsupportedError, 'nvml_no_function', /update the driver/],
    [15, NvmlGpuLostError, 'nvml_gpu_lost', /dmesg/],
    [17, NvmlPermissionError, 'nvml_os_blocked', /cgroup/],
    [24, NvmlUnsupportedError, 'nvml_clock_not_supported', /no such clock/],
    [999, NvmlError, 'nvml_unknown', /NVML error 999/],
  ])('status %i is a class, a stable code and a way out', (status, type, code, message) => {
    const error = toNvmlError(status, 'nvmlCall', 'GPU 0')
    expect(error).toBeInstanceOf(type)
    expect(error).toMatchObject({ code, status, call: 'nvmlCall', name: type.name })
    expect(error.message).toMatch(message)
  })

  it('says where it looked for a library that is not there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trimtab-nvml-'))
    const path = join(folder, 'libnvidia-ml.so.1')
    await expect(Nvml.open(path)).rejects.toMatchObject({
      code: 'nvml_library_missing',
      message: expect.stringMatching(
        /^no library of an NVIDIA driver was found \(.*libnvidia-ml.so.1\): install the driver/,
      ),
    })
    rmSync(folder, { recursive: true })
  })
})

function failureOf(act: () => unknown): (Error & { readonly code?: string }) | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    return error as Error
  }
}

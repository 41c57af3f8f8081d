// A WebGPU device for tests on Node: Dawn (the optional peer `webgpu`), on Chromium's software driver where there is no other.
import { existsSync } from 'node:fs'
import process from 'node:process'
import { create } from 'webgpu'
import type { Gpu, GpuAdapter, GpuDevice, GpuLimits } from '../../src/webgpu/device.js'

const SWIFTSHADER = '/usr/lib/chromium/vk_swiftshader_icd.json'

export const NEEDED =
  'a Vulkan driver (apt-get install -y --no-install-recommends chromium libvulkan1 brings one in software)'

/** Must outlive its devices. */
let gpu: Gpu | undefined

/** undefined: this machine has none. */
async function openAdapter(): Promise<GpuAdapter | undefined> {
  if (existsSync(SWIFTSHADER)) process.env.VK_ICD_FILENAMES ??= SWIFTSHADER
  try {
    gpu ??= create([]) as unknown as Gpu
    return (await gpu.requestAdapter()) ?? undefined
  } catch {
    return undefined // Dawn has no build for this host
  }
}

export async function openDevice(): Promise<(GpuDevice & { destroy(): void }) | undefined> {
  const device = await (await openAdapter())?.requestDevice({ requiredLimits: {} })
  return device as (GpuDevice & { destroy(): void }) | undefined
}

type Changes = Readonly<Record<string, unknown>>

/** The same object with other members, for us to call: Dawn itself must be handed its own objects. */
export function changed<T extends object>(object: T, changes: Changes): T {
  const get = (_: T, key: string): unknown => {
    if (key in changes) return changes[key]
    const value = object[key as keyof T]
    return typeof value === 'function' ? value.bind(object) : value
  }
  return new Proxy(object, { get } as ProxyHandler<T>)
}

/** A device that says that it allows less. */
export function withLimits(device: GpuDevice, limits: Partial<GpuLimits>): GpuDevice {
  return changed(device, { limits: changed(device.limits, limits) })
}

/** What becomes of a device's work: who is told, and what is compiled in place of a shader. */
interface Interference {
  readonly submitted?: () => void
  readonly codeOf?: (code: string) => string
}

/** A `navigator.gpu` whose adapter says something else of itself. */
export async function adapterOf(
  changes: Changes,
  { submitted, codeOf = (code) => code }: Interference = {},
): Promise<Gpu> {
  const adapter = (await openAdapter())!
  const requestDevice = async (descriptor: never): Promise<GpuDevice> => {
    const device = await adapter.requestDevice(descriptor)
    const submit = (commands: object[]): void => {
      submitted?.()
      device.queue.submit(commands)
    }
    const createShaderModule = ({ label, code }: { readonly label: string; readonly code: string }): object =>
      device.createShaderModule({ label, code: codeOf(code) })
    return changed(device, { createShaderModule, queue: changed(device.queue, { submit }) })
  }
  return { requestAdapter: async () => changed(adapter, { requestDevice, ...changes }) }
}

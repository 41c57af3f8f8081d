// Prints, as JSON, what `probeWebGpu` finds with the runtime's own WebGPU, or with Dawn (the package `webgpu`).
import process from 'node:process'
import { probeWebGpu } from './probe-webgpu.mjs'

const PEER = 'webgpu'
const gpu = globalThis.navigator?.gpu ?? (await import(PEER)).create([])

async function openDevice() {
  const adapter = await gpu.requestAdapter()
  return adapter?.requestDevice()
}

console.log(JSON.stringify((await probeWebGpu(openDevice)) ?? null))
process.exit() // Dawn's threads would go on

// In a page: beside onnxruntime-web, which looks for WebGPU where browsers have it.
import * as ort from 'onnxruntime-web/webgpu'
import { onnxMlp } from '../peers/onnx.mjs'
import { openDevice, webGpuRows } from './rows.mjs'

/** @param path  where onnxruntime-web's files are. @returns `webGpuRows`; undefined: the browser has no WebGPU */
export async function rowsInPage(path) {
  const device = await openDevice(navigator.gpu)
  if (!device) return undefined
  ort.env.wasm.wasmPaths = path
  ort.env.wasm.numThreads = 1
  const runtime = { ort, options: { executionProviders: ['webgpu'] } }
  return webGpuRows(device, (layers, batch, activations) => onnxMlp(layers, batch, activations, runtime))
}

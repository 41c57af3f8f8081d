// Batches on WebGPU over batch sizes: in Node on Dawn against the core, in Chromium against onnxruntime-web's WebGPU too. On a GPU a record, on a
// software adapter a check that they run.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { create } from 'webgpu'
import { canUseChromium, SOFTWARE_WEBGPU } from '../browser/chromium.mjs'
import { inPage } from '../browser/in-page.mjs'
import { openDevice, webGpuRows } from './webgpu/rows.mjs'

export const name = 'WebGPU'

const SWIFTSHADER = '/usr/lib/chromium/vk_swiftshader_icd.json'
const PAGE = new URL('webgpu/page.mjs', import.meta.url)
const ONNX = fileURLToPath(new URL('../../node_modules/onnxruntime-web/dist/', import.meta.url))
/** Where the machine has a GPU, and where it has none. */
const FLAGS = [['--enable-unsafe-webgpu', '--enable-features=Vulkan'], SOFTWARE_WEBGPU]

/** Must outlive its devices. */
let dawn

async function onDawn() {
  if (existsSync(SWIFTSHADER)) process.env.VK_ICD_FILENAMES ??= SWIFTSHADER
  dawn ??= create([])
  const device = await openDevice(dawn)
  return device && webGpuRows(device)
}

async function inChromium() {
  if (!canUseChromium('WebGPU in Chromium, beside onnxruntime-web')) return undefined
  const files = readdirSync(ONNX).filter((file) => /^ort-wasm.*\.(mjs|wasm)$/.test(file))
  const beside = Object.fromEntries(files.map((file) => [`onnx/${file}`, readFileSync(ONNX + file)]))
  for (const flags of FLAGS) {
    const found = await inPage(
      [PAGE],
      (page) => page.evaluate(`import('/page.js').then((all) => all.rowsInPage('/onnx/'))`),
      {
        ...{ flags, beside },
      },
    )
    if (found) return found
  }
  return undefined
}

export async function run({ log }) {
  const rows = []
  for (const [host, measureThere] of Object.entries({ Dawn: onDawn, Chromium: inChromium })) {
    const found = await measureThere()
    if (found) {
      log(`${host}: ${found.adapter}${found.isSoftware ? ': in software, so a check and no record' : ''}`)
      rows.push(...found.rows.map((row) => ({ ...row, name: `${host}: ${row.name}` })))
    } else log(`${host}: NOT MEASURED: no adapter here (a Vulkan driver brings one)`)
  }
  return rows
}

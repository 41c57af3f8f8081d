// Usage: npm run test:runtimes
// One probe on every runtime, run from the packed packages as users install them; each must print the hashes that
// Node 20 prints, from its SIMD and its scalar build. Where there is a WebGPU adapter, if only in software, Node (by Dawn) and Deno compute
// batches on it as well, which must agree with the core's. Embeddings on threads must have the bits of none on Node, Bun and Deno. The examples
// for Bun and Deno run there too.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { launchChromium } from '../browser/chromium.mjs'
import { serve } from '../browser/serve.mjs'
import { installHere } from '../install.mjs'
import { installPacked } from '../packaging/install-packed.mjs'
import { bundleWorker, WORKERD } from './workerd.mjs'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const MODULES = join(HERE, 'node_modules')
const TIMEOUT_MS = 300_000 // a cold disk right after the install: seen to take over a minute

/** Where the packages are installed and the probe runs: outside the repository, whose node_modules must not help. */
const consumer = await mkdtemp(join(tmpdir(), 'trimtab-runtimes-'))
const PROBE = join(consumer, 'runtimes')
const PRINT = join(PROBE, 'print.mjs')
const BUNDLES = join(consumer, 'bundles')

function run(program, args) {
  if (!existsSync(program)) throw new Error(`${program} is missing: this platform's package was not installed by npm`)
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd: consumer, timeout: TIMEOUT_MS }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${basename(program)} ${args.join(' ')}: ${error.message}\n${stderr}`))
      else resolve(stdout)
    })
  })
}

const lastLine = (text) => JSON.parse(text.trim().split('\n').at(-1))

async function onNode20() {
  const major = Number(process.versions.node.split('.')[0])
  if (major !== 20) throw new Error(`the reference is Node 20, this is ${process.version}: run this with Node 20`)
  return { version: process.version, hashes: lastLine(await run(process.execPath, [PRINT])) }
}

async function onCommand(program, args) {
  const version = (await run(program, ['--version'])).match(/\d+\.\d+\.\d+/)?.[0]
  return { version, hashes: lastLine(await run(program, [...args, PRINT])) }
}

async function onChromium() {
  await build({
    entryPoints: [join(PROBE, 'probe.mjs')],
    outdir: BUNDLES,
    bundle: true,
    format: 'esm',
    platform: 'browser',
  })
  const site = await serve(BUNDLES)
  try {
    const browser = await launchChromium()
    try {
      const page = await browser.newPage()
      await page.route('**/blank', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
      await page.goto(`${site.origin}/blank`)
      const hashes = await page.evaluate(async () => (await import('/probe.js')).probe())
      return { version: browser.version(), hashes }
    } finally {
      await browser.close()
    }
  } finally {
    await site.close()
  }
}

async function onWorkerd() {
  const configuration = await bundleWorker(join(PROBE, 'worker.mjs'), BUNDLES)
  const version = (await run(WORKERD, ['--version'])).trim().replace('workerd ', '')
  return { version, hashes: lastLine(await run(WORKERD, ['test', configuration])) }
}

/** Chromium's driver in software, where nothing else was asked for. */
const SWIFTSHADER = '/usr/lib/chromium/vk_swiftshader_icd.json'

async function webGpuOn(program, args) {
  if (existsSync(SWIFTSHADER)) process.env.VK_ICD_FILENAMES ??= SWIFTSHADER
  return lastLine(await run(program, [...args, join(PROBE, 'print-webgpu.mjs')]))
}

const BUN = [join(MODULES, '.bin/bun'), ['run']]
const DENO = [join(MODULES, '.bin/deno'), ['run', '--no-config', '--node-modules-dir=manual']]
const DENO_WITH_ALL = [DENO[0], [...DENO[1], '-A']]

const WITH_WEBGPU = [
  ['Node 20, Dawn', () => webGpuOn(process.execPath, [])],
  ['Deno', () => webGpuOn(...DENO_WITH_ALL)],
]

/** Runtimes on which `@trimtab/node` has threads. */
const WITH_THREADS = [
  ['Node 20', [process.execPath, []]],
  ['Bun', BUN],
  ['Deno', DENO_WITH_ALL],
]

const RUNTIMES = [
  ['Node 20', onNode20], // the reference
  ['Node 22', () => onCommand(join(MODULES, 'node22/bin/node'), [])],
  ['Node 24', () => onCommand(join(MODULES, 'node24/bin/node'), [])],
  ['Bun', () => onCommand(...BUN)],
  ['Deno', () => onCommand(...DENO)],
  ['Chromium', onChromium],
  ['workerd', onWorkerd],
]

const EXAMPLES = join(consumer, 'examples')
const example = ([program, args], file, ...more) => run(program, [...args, join(EXAMPLES, file), ...more])
const sampleTraces = join(consumer, 'node_modules/trimtab/samples/slow-traces.jsonl.gz')

const anyRuntimeOnNode = () => example([process.execPath, []], 'any-runtime.mjs')

/** What an example prints where it is run, and what it must: a pattern, or the text that another runtime prints. */
const RUN_EXAMPLES = [
  ['any-runtime.mjs on Bun', () => example(BUN, 'any-runtime.mjs'), anyRuntimeOnNode],
  ['any-runtime.mjs on Deno', () => example(DENO, 'any-runtime.mjs'), anyRuntimeOnNode],
  [
    'bun-traces.mjs',
    () => example(BUN, 'bun-traces.mjs', sampleTraces),
    /^\d{2,} requests waited for\n +[\d.]+ ms +\d+ % {2}[a-z]+/,
  ],
  [
    'deno-serve.mjs',
    () => example([DENO[0], [...DENO[1], '--allow-net=127.0.0.1']], 'deno-serve.mjs'),
    /^next: Is .*\nnext: Write .*\n$/,
  ],
]

/** What is wrong with a runtime's hashes, by name; empty when all agree with the reference. */
function disagreements(hashes, reference) {
  const names = Object.keys(reference)
  return Object.entries(hashes).flatMap(([build, found]) =>
    names.filter((name) => found[name] !== reference[name]).map((name) => `${name} (${build})`),
  )
}

installHere(HERE)
await installPacked(consumer)
const PROBES = ['probe.mjs', 'probe-learning.mjs', 'probe-traces.mjs', 'print.mjs', 'worker.mjs']
for (const file of [...PROBES, 'probe-webgpu.mjs', 'print-webgpu.mjs', 'probe-threads.mjs', 'embed.mjs'])
  await cp(join(HERE, file), join(PROBE, file))
await symlink(join(HERE, '../../node_modules/webgpu'), join(consumer, 'node_modules/webgpu'), 'junction') // Dawn
await cp(join(HERE, '../traces'), join(consumer, 'traces'), { recursive: true })

let reference
let failed = 0
const rows = []
for (const [name, probe] of RUNTIMES) {
  const start = performance.now()
  try {
    const { version, hashes } = await probe()
    reference ??= hashes.simd
    const wrong = disagreements(hashes, reference)
    if (wrong.length > 0) failed++
    rows.push({
      runtime: name,
      version,
      ...Object.fromEntries(Object.entries(hashes.simd).map(([key, hash]) => [key, hash.slice(0, 8)])),
      seconds: Number(((performance.now() - start) / 1e3).toFixed(1)),
      result: wrong.length === 0 ? 'same' : `DIFFERS: ${wrong.join(', ')}`,
    })
  } catch (error) {
    failed++
    rows.push({ runtime: name, result: 'FAILED' })
    console.error(`${name}: ${error.message}`)
  }
}
const onGpu = []
for (const [name, probe] of WITH_WEBGPU) {
  try {
    const found = await probe()
    if (found === null) console.warn(`\nNOT CHECKED: WebGPU on ${name}: needs an adapter (a Vulkan driver)\n`)
    else if (found.wrong.length > 0) throw new Error(found.wrong.join('; '))
    else if (found.isLate) console.warn(`\nNOT CHECKED: WebGPU on ${name}: needs a machine less busy\n`)
    else onGpu.push({ runtime: name, adapter: found.adapter, 'largest gap': Math.max(...Object.values(found.gaps)) })
  } catch (error) {
    failed++
    console.error(`WebGPU on ${name}: ${error.message}`)
  }
}
const onThreads = []
let embedded
for (const [name, [program, args]] of WITH_THREADS) {
  try {
    const found = lastLine(await run(program, [...args, join(PROBE, 'probe-threads.mjs')]))
    embedded ??= found.alone
    if (found.unused !== undefined) throw new Error(found.unused)
    if (found.alone !== embedded || found.onThreads !== embedded)
      throw new Error(`${JSON.stringify(found)}, not ${embedded}`)
    onThreads.push(name)
  } catch (error) {
    failed++
    console.error(`threads on ${name}: ${error.message}`)
  }
}
await cp(join(HERE, '../../examples'), EXAMPLES, { recursive: true })
const examples = []
for (const [name, print, expected] of RUN_EXAMPLES) {
  try {
    const [printed, wanted] = [await print(), typeof expected === 'function' ? await expected() : expected]
    const isRight = typeof wanted === 'string' ? printed === wanted : wanted.test(printed)
    if (!isRight) throw new Error(`printed ${JSON.stringify(printed)}, not ${wanted}`)
    examples.push(name)
  } catch (error) {
    failed++
    console.error(`${name}: ${error.message}`)
  }
}
await rm(consumer, { recursive: true, force: true })
console.log('SHA-256 by runtime, SIMD build shown, scalar build compared as well; the reference is Node 20')
console.table(Object.fromEntries(rows.map(({ runtime, ...row }) => [runtime, row])))
console.log('WebGPU against the core: largest difference by the largest output, which must stay below 1e-5')
console.table(onGpu)
console.log(`embeddings on two threads, the bits of none: ${onThreads.join(', ')}`)
console.log(`examples: ${examples.join(', ')}`)
const passed = rows.filter(({ result }) => result === 'same').length + onGpu.length + onThreads.length + examples.length
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

// No kill costs an older good file: those of each kind lie where the command writes them, it is run again, and killed. Commands do the
// least that they can be asked for; what `pretrain` writes is written by its command around a model that was pretrained once. Leases of GPUs are killed in adapters/nvml, stores of trajectories and the shared writer by itself in adapters/node.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { metaPresets, readPretrained } from '@trimtab/learn'
import { createServeCore, LengthPredictor } from '@trimtab/serve'
import { pretrain } from '@trimtab/studies'
import { findTask } from '@trimtab/tasks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDouble } from '../../../adapters/gateway/test/protocol-double.mjs'
import { FakeNvml, HAS_GCC, sayUnchecked } from '../../../adapters/nvml/test/fake/index.js'
import { bundleWithKoffi } from '../../../adapters/nvml/test/program.js'
import { bundleProgram } from '../../../test/bundle.js'
import { parseRecords } from '../src/adaptation/records.js'
import { jaegerJson, shopRequests } from './sample-traces.js'
import { BIN } from './trimtab.js'

if (!HAS_GCC) sayUnchecked('kills while the page of gpu run is written')

const KILLS = 20
const EARLY = 4 // of them before anything is written
const SLOW_DISK = new URL('./fixtures/slow-disk.mjs', import.meta.url).href // leaves time to hit a write in its middle

/** Two runs write two versions: the older ones lie there when the newer ones are written. */
type Version = 1 | 2

interface Kind {
  readonly what: string
  /** What runs; the command itself where nothing is said. */
  readonly program?: () => string
  readonly argv: (version: Version) => readonly string[]
  /** What it writes into the folder where it runs, and who throws when bytes are no such file. */
  readonly files: Readonly<Record<string, (bytes: Uint8Array) => unknown>>
  /** Whether clocks are in what it writes, so that no two runs write the same. */
  readonly isTimed?: boolean
  /** A file that is there until the others are written. */
  readonly temporary?: { readonly name: string; readonly contents: (version: Version) => Uint8Array }
  /** What makes it write, where it does not by itself. */
  readonly stir?: (child: ChildProcess, version: Version) => Promise<unknown>
}

let root: string
let double: Awaited<ReturnType<typeof startDouble>>
let pretraining: string
let nvml: FakeNvml
let driving: string
const input = (name: string): string => join(root, name)

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'trimtab-kills-'))
  double = await startDouble()
  pretraining = await bundleProgram(new URL('./fixtures/pretrain-saved.ts', import.meta.url), input('program'))
  if (HAS_GCC) {
    nvml = new FakeNvml().install()
    driving = await bundleWithKoffi(new URL('./fixtures/gpu-run.ts', import.meta.url), input('drive'), { koffi: true })
    writeFileSync(input('latency'), '100\n')
  }
  for (const version of [1, 2]) {
    writeFileSync(input(`traces-${version}`), jaegerJson(shopRequests(40 * version)))
    const runs = ['a', 'b', 'c'].flatMap((name) =>
      [128, 256].map((memory) => `${name},${memory},${(version * 9e4) / memory}`),
    )
    writeFileSync(input(`runs-${version}`), ['function,memory_mb,duration_ms', ...runs].join('\n'))
    const requests = Array.from({ length: 40 }, (_, i) =>
      JSON.stringify({ model: 'm', prompt: `say ${i % 7}`, output_tokens: 5 + 10 * version * (i % 7), arrival_s: i }),
    )
    writeFileSync(input(`requests-${version}`), requests.join('\n'))
    const setup = { task: 'cpu-frequency', first: 200, pairs: 8, rounds: 5, meta: metaPresets.set, seed: version }
    const onCheckpoint = async (bytes: Uint8Array) => writeFileSync(input(`checkpoint-${version}`), bytes)
    const model = await pretrain(findTask(setup.task), setup, { onCheckpoint })
    writeFileSync(input(`model-${version}`), model.save())
  }
})
afterAll(async () => {
  await double.close()
  nvml?.remove()
  rmSync(root, { recursive: true })
})

const page = (bytes: Uint8Array): void => expect(String(bytes)).toMatch(/^<!doctype html>[\s\S]*<\/html>\s*$/i)
const log = (bytes: Uint8Array): void => expect(parseRecords(String(bytes), 'log').length).toBeGreaterThan(1)
const lengths = async (bytes: Uint8Array): Promise<void> =>
  LengthPredictor.load(await createServeCore(), bytes).dispose()

/** Lets a gateway learn from one answer, and end. */
async function teach(child: ChildProcess, version: Version): Promise<void> {
  const line = await new Promise<string>((resolve) => child.stdout!.once('data', (text) => resolve(String(text))))
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hello' }], double: { tokens: 20 * version } }
  const { url } = JSON.parse(line.split('\n')[0]!)
  await (await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(body) })).text()
  child.kill('SIGTERM')
}

const LEAST = ['--apps', '1', '--seeds', '1', '--episodes', '1', '--workers', '1']

const KINDS: readonly Kind[] = [
  {
    what: 'the answer and the page of trace profile',
    argv: (version) => [
      ...['trace', 'profile', input(`traces-${version}`), '--format', 'speedscope'],
      ...['--out', 'answer.json', '--report', 'page.html'],
    ],
    files: { 'answer.json': (bytes) => JSON.parse(String(bytes)), 'page.html': page },
  },
  {
    what: 'the predictor of predict-length train',
    argv: (version) => ['predict-length', 'train', input(`requests-${version}`), '--epochs', '1', '--out', 'predictor'],
    files: { predictor: lengths },
  },
  {
    what: 'the log and the page of adapt',
    argv: (version) => [
      ...['adapt', 'cpu-frequency', '--model', input(`model-${version}`), '--methods', 'pretrained'],
      ...['--pairs', '1', '--episodes', '1', '--log', 'log', '--report', 'page.html'],
    ],
    files: { log, 'page.html': page },
  },
  {
    what: 'the checkpoint, the model, the log and the page of pretrain',
    program: () => pretraining,
    argv: (version) => [
      ...[input(`model-${version}`), input(`checkpoint-${version}`), 'cpu-frequency', '--fresh', '--json'],
      ...['--rounds', `${2 * version}`, '--out', 'model', '--log', 'log', '--report', 'page.html'],
    ],
    files: { model: readPretrained, log, 'page.html': page },
    temporary: { name: 'model.checkpoint', contents: (version) => readFileSync(input(`checkpoint-${version}`)) },
  },
  {
    what: 'the page of predict-length eval',
    argv: (version) => ['predict-length', 'eval', input(`requests-${version}`), '--report', 'page.html'],
    files: { 'page.html': page },
    isTimed: true,
  },
  {
    what: 'the page of schedule',
    argv: (version) => [
      ...['schedule', '--requests', input(`requests-${version}`), '--count', '40', '--seeds', '1'],
      ...['--policy', 'fcfs', '--report', 'page.html'],
    ],
    files: { 'page.html': page },
  },
  {
    what: 'the page of rightsize',
    argv: (version) => ['rightsize', input(`runs-${version}`), '--report', 'page.html'],
    files: { 'page.html': page },
  },
  {
    what: 'the page of autoscale',
    argv: (version) => [
      ...['autoscale', '--controllers', 'hpa-vpa', '--seed', `${version}`],
      ...['--apps', '1', '--seeds', '1', '--days', '1', '--workers', '1', '--report', 'page.html'],
    ],
    files: { 'page.html': page },
  },
  {
    what: 'the page of compare',
    argv: (version) => [
      ...['compare', 'cpu-frequency', '--controllers', 'scratch', '--seed', `${version}`, ...LEAST],
      ...['--report', 'page.html'],
    ],
    files: { 'page.html': page },
  },
  {
    what: 'the page of gpu simulate',
    argv: (version) => [
      ...['gpu', 'simulate', '--gpus', '1', '--models', 'BERT-large', '--rate', '1', '--seconds', `${30 + version}`],
      ...['--report', 'page.html'],
    ],
    files: { 'page.html': page },
  },
  ...(HAS_GCC
    ? [
        {
          what: 'the page of gpu run',
          program: () => driving,
          argv: (version: Version) => [
            ...['--slo-ms', `${version}`, '--latency', input('latency'), '--library', nvml.library, '--dry-run'],
            ...['--interval', '500', '--seconds', '1', '--report', 'page.html'],
          ],
          files: { 'page.html': page },
          isTimed: true,
        },
      ]
    : []),
  {
    what: 'the state of a gateway',
    argv: () => [
      'gateway',
      '--upstream',
      double.url,
      '--concurrency',
      '1',
      '--port',
      '0',
      '--json',
      '--state',
      'state',
    ],
    files: { state: lengths },
    stir: teach,
  },
]

/** In how many ms to kill a run that has started (`name` undefined), or changed a file or its draft first; undefined: not then. */
type Plan = (name: string | undefined) => number | undefined

/** Runs it once, and tells when each of the files was written: begin and end in ms after the start. */
async function run(kind: Kind, version: Version, folder: string, names: readonly string[], plan: Plan) {
  const child = spawn(process.execPath, ['--import', SLOW_DISK, kind.program?.() ?? BIN, ...kind.argv(version)], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const startedAt = performance.now()
  const times = new Map<string, readonly [begin: number, end: number]>()
  const kill = (name?: string) => {
    const ms = plan(name)
    if (ms !== undefined) setTimeout(() => child.kill('SIGKILL'), ms)
  }
  const watcher = watch(folder, (_, changed) => {
    const name = names.find((file) => changed === file || isDraftOf(file, changed ?? ''))
    if (name === undefined) return
    const now = performance.now() - startedAt
    const begin = times.get(name)?.[0]
    times.set(name, [begin ?? now, now])
    if (begin === undefined) kill(name)
  })
  kill()
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
  if (kind.stir)
    kind.stir(child, version).catch(() => {}) // it may be killed before it answers
  else child.stdout!.resume()
  const code = await closed
  watcher.close()
  return { code, times }
}

const isDraftOf = (file: string, name: string): boolean =>
  name.startsWith(`${file}.`) && /^\d+-.*\.draft$/.test(name.slice(file.length + 1))

const never: Plan = () => undefined
const draftsIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.endsWith('.draft'))

describe(`a SIGKILL at any of ${KILLS} moments`, () => {
  let drafts = 0

  it.concurrent.each(KINDS)(
    'leaves $what older or newer, and whole',
    async (kind) => {
      const folder = mkdtempSync(join(root, 'kind-'))
      const names = [...(kind.temporary ? [kind.temporary.name] : []), ...Object.keys(kind.files)]
      /** Runs it to its end, and reads what it wrote. */
      const write = async (version: Version) => {
        const { code, times } = await run(kind, version, folder, names, never)
        expect(code).toBeLessThan(2)
        const contents = new Map<string, Buffer>()
        for (const [name, read] of Object.entries(kind.files)) {
          contents.set(name, readFileSync(join(folder, name)))
          await read(contents.get(name)!)
        }
        if (kind.temporary) contents.set(kind.temporary.name, Buffer.from(kind.temporary.contents(version)))
        return { contents, times }
      }
      const older = await write(1)
      const newer = await write(2)
      const beginning = Math.min(...[...newer.times.values()].map(([begin]) => begin))
      for (let kill = 0; kill < KILLS; kill++) {
        for (const [name, bytes] of older.contents) writeFileSync(join(folder, name), bytes)
        const place = kill < EARLY ? undefined : names[kill % names.length]!
        const [begin, end] = place === undefined ? [0, beginning] : newer.times.get(place)!
        const share = place === undefined ? (kill + 0.5) / EARLY : (kill - EARLY) / (KILLS - EARLY)
        await run(kind, 2, folder, names, (name) => (name === place ? Math.max(2, end - begin) * share : undefined))
        const states = names.map((name) => {
          if (name === kind.temporary?.name && !existsSync(join(folder, name))) return 'removed'
          const bytes = readFileSync(join(folder, name))
          if (bytes.equals(older.contents.get(name)!)) return 'older'
          if (kind.isTimed)
            kind.files[name]!(bytes) // throws where it is a part
          else if (!bytes.equals(newer.contents.get(name)!)) return `${name}: ${bytes.length} bytes, neither`
          return 'newer'
        })
        drafts += draftsIn(folder).length
        const isDone = states.every((state) => state === 'newer' || state === 'removed')
        for (const state of states) expect(isDone ? ['newer', 'removed'] : ['newer', 'older']).toContain(state)
      }
      await write(2)
      expect(draftsIn(folder)).toEqual([])
    },
    600_000,
  )

  it('hit writes in their middle', () => {
    expect(drafts).toBeGreaterThan(KILLS)
  })
})

import { spawn } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ControlLoop, MemoryTrajectoryStore, rulePilot } from '@trimtab/control'
import { createCore, type Environment, type Logger, Random, type TrajectoryStep } from '@trimtab/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { columns, numbered } from '../../../test/numbered-steps.js'
import { FileTrajectoryStore, type FileTrajectoryStoreOptions } from '../src/index.js'
import { bundle } from './bundle.js'

const folder = mkdtempSync(join(tmpdir(), 'trimtab-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
const freshPath = () => join(folder, `${files++}.trajectory`)
const open = (path: string, options: Partial<FileTrajectoryStoreOptions> = {}) =>
  new FileTrajectoryStore({ path, fsync: 'never', ...columns, ...options })

/** A file of `count` numbered steps, closed. */
function written(count: number): string {
  const path = freshPath()
  const store = open(path)
  for (let n = 0; n < count; n++) store.append(numbered(n))
  store.dispose()
  return path
}

const range = (count: number): TrajectoryStep[] => Array.from({ length: count }, (_, n) => numbered(n))

/** What a store answers, and what a step more makes of it. */
function contents(path: string) {
  const store = open(path)
  const steps = store.recent(1e6)
  store.append(numbered(steps.length))
  store.dispose()
  const again = open(path)
  const grown = again.recent(1e6)
  again.dispose()
  return { steps, repair: store.repair, grown, repairedForGood: again.repair.tornBytes === 0 }
}

const HEADER_BYTES = 16 + '{"observation":["load","p99"],"action":["replicas"]}'.length + 4
const RECORD_BYTES = 16 + 4 * 3 + 4

describe('FileTrajectoryStore', () => {
  it('returns what was written, after opening the file again', () => {
    const path = written(12)
    const store = open(path)
    expect(store.recent(100)).toEqual(range(12))
    expect(store.recent(2)).toEqual([numbered(10), numbered(11)])
    expect(store.recent(0)).toEqual([])
    expect(store.repair).toEqual({ tornBytes: 0, damagedRecords: 0 })
    expect({ size: store.size, nextEpisode: store.nextEpisode }).toEqual({ size: 12, nextEpisode: 3 })
    store.dispose()
  })

  it('has the layout that its header comment describes', () => {
    const bytes = readFileSync(written(3))
    expect(bytes.length).toBe(HEADER_BYTES + 3 * RECORD_BYTES)
    expect(bytes.subarray(0, 8).toString()).toBe('TRIMTRAJ')
    expect(bytes.readUInt32LE(8)).toBe(1)
    const record = HEADER_BYTES + 2 * RECORD_BYTES
    expect(bytes.readFloatLE(record + 16)).toBe(2)
    expect(bytes.readDoubleLE(record + 8)).toBe(2 / 7)
  })

  it('answers like the store in memory', async () => {
    const core = await createCore()
    const file = open(freshPath())
    const memory = new MemoryTrajectoryStore()
    for (let n = 0; n < 43; n++) {
      const step = { ...numbered(n), reward: (n * 37) % 11 }
      file.append(step)
      memory.append(step)
    }
    expect(file.recent(7)).toEqual(memory.recent(7))
    expect(file.best(4)).toEqual(memory.best(4))
    expect(file.sample(20, new Random(core, 5))).toEqual(memory.sample(20, new Random(core, 5)))
    file.dispose()
  })

  it('is a store for the control loop, which goes on counting episodes where the file ended', () => {
    const environment = {
      observation: { ...columns.observation, low: Float64Array.of(0, 0), high: Float64Array.of(9, 9), kind: 'box' },
      action: { ...columns.action, low: Float64Array.of(1), high: Float64Array.of(9), kind: 'box' },
      reset: () => Float32Array.of(1, 2),
      step: () => ({ observation: Float32Array.of(3, 4), reward: 1, terminated: false, truncated: false, info: {} }),
      save: () => new Uint8Array(),
      load: () => {},
    } satisfies Environment
    const path = freshPath()
    for (let run = 0; run < 2; run++) {
      const store = open(path)
      const pilot = rulePilot({ name: 'two', decide: (_observation, out) => void out.fill(2) })
      new ControlLoop({ environment, pilot, store, episodeSteps: 3, firstEpisode: store.nextEpisode }).runEpisode()
      store.dispose()
    }
    const store = open(path)
    expect(store.recent(9).map(({ episode, step }) => [episode, step])).toEqual([
      [0, 0],
      [0, 1],
      [0, 2],
      [1, 0],
      [1, 1],
      [1, 2],
    ])
    store.dispose()
  })

  it('keeps every complete step of a file cut at any byte, cuts off the rest for good and goes on from there', () => {
    const whole = readFileSync(written(4))
    for (let length = 0; length <= whole.length; length++) {
      const path = freshPath()
      writeFileSync(path, whole.subarray(0, length))
      const complete = Math.max(0, Math.floor((length - HEADER_BYTES) / RECORD_BYTES))
      const tornBytes = length < HEADER_BYTES ? 0 : length - HEADER_BYTES - complete * RECORD_BYTES
      expect({ length, ...contents(path) }).toEqual({
        length,
        steps: range(complete),
        repair: { tornBytes, damagedRecords: 0 },
        grown: range(complete + 1),
        repairedForGood: true,
      })
    }
  })

  it('loses no more than the one record in which a byte was damaged', () => {
    const whole = readFileSync(written(4))
    for (let at = HEADER_BYTES; at < whole.length; at++) {
      const path = freshPath()
      const bytes = Buffer.from(whole)
      bytes[at]! ^= 0x10
      writeFileSync(path, bytes)
      const damaged = Math.floor((at - HEADER_BYTES) / RECORD_BYTES)
      const { steps, repair } = contents(path)
      expect(steps).toEqual(range(4).filter((_, n) => n !== damaged))
      expect(repair).toEqual(
        damaged === 3 ? { tornBytes: RECORD_BYTES, damagedRecords: 0 } : { tornBytes: 0, damagedRecords: 1 },
      )
    }
  })

  it('skips a damaged record in whatever is read', async () => {
    const path = written(15)
    const bytes = readFileSync(path)
    bytes[HEADER_BYTES + 6 * RECORD_BYTES] = 99 // step 1 of episode 1
    writeFileSync(path, bytes)
    const store = open(path)
    const rest = range(15).filter((_, n) => n !== 6)
    expect(store.size).toBe(14)
    expect(store.recent(9)).toEqual(rest.slice(-9))
    expect(store.recent(99)).toEqual(rest)
    expect(store.best(1)).toEqual([
      range(15)
        .slice(5, 10)
        .filter((_, i) => i !== 1),
    ])
    const drawn = store.sample(500, new Random(await createCore(), 1))
    expect(drawn.every((step) => step.episode * 5 + step.step !== 6)).toBe(true)
    store.dispose()
  })

  it('cuts off the zeros that a power failure leaves behind', () => {
    const path = written(3)
    appendFileSync(path, Buffer.alloc(5 * RECORD_BYTES + 7))
    expect(contents(path)).toMatchObject({
      steps: range(3),
      repair: { tornBytes: 5 * RECORD_BYTES + 7 },
      grown: range(4),
    })
  })

  it('says once what it repaired', () => {
    const lines: string[] = []
    const logger = { warn: (message: string) => void lines.push(message) } as unknown as Logger
    const path = written(2)
    open(path, { logger }).dispose()
    truncateSync(path, HEADER_BYTES + RECORD_BYTES + 5)
    open(path, { logger }).dispose()
    open(path, { logger }).dispose()
    expect(lines).toEqual([`${path}: cut off 5 torn bytes, skipping 0 damaged records`])
  })

  const foreign = Buffer.from('time,load\n0,5\n')
  const ofVersion = (version: number) => {
    const bytes = readFileSync(written(2))
    bytes.writeUInt32LE(version, 8)
    return bytes
  }
  it.each([
    ['a file that is not its own', () => foreign, 'trajectory_file_foreign'],
    ['a short file that is not its own', () => Buffer.from('TRIX'), 'trajectory_file_foreign'],
    ['a file of another version', () => ofVersion(2), 'trajectory_file_version'],
    [
      'a file whose header is damaged',
      () => Buffer.concat([ofVersion(1).fill('x', 20, 21)]),
      'trajectory_file_other_columns',
    ],
  ])('refuses %s and leaves it untouched', (_name, make, code) => {
    const path = freshPath()
    const bytes = make()
    writeFileSync(path, bytes)
    expect(() => open(path)).toThrow(expect.objectContaining({ name: 'FormatError', code }))
    expect(readFileSync(path)).toEqual(bytes)
  })

  it('refuses the file of another task', () => {
    const path = written(2)
    expect(() => open(path, { action: { names: ['cpu', 'memory'] } })).toThrow(
      expect.objectContaining({ code: 'trajectory_file_other_columns' }),
    )
    expect(() => open(path, { observation: { names: ['load', 'p50'] } })).toThrow(/expected columns .*p50/)
  })

  it('notices that somebody else writes to its file', () => {
    const path = freshPath()
    const [one, other] = [open(path), open(path)]
    one.append(numbered(0))
    expect(() => other.append(numbered(0))).toThrow(expect.objectContaining({ code: 'trajectory_file_shared' }))
    one.append(numbered(1))
    expect(one.recent(9)).toEqual(range(2))
    one.dispose()
    other.dispose()
  })

  it('says what the file system said when it cannot open the file', () => {
    expect(() => open(join(folder, 'no such folder', 'x.trajectory'))).toThrow(
      expect.objectContaining({ code: 'trajectory_file_failed', cause: expect.objectContaining({ code: 'ENOENT' }) }),
    )
  })

  it('refuses steps of other sizes or numbers, writing nothing', () => {
    const store = open(freshPath())
    expect(() => store.append({ ...numbered(0), action: Float32Array.of(1, 2) })).toThrow(
      /actions \[1\], got \[2\] and \[2\]/,
    )
    expect(() => store.append({ ...numbered(0), episode: -1 })).toThrow(
      /episode must be a whole number of 32 bits, got -1/,
    )
    expect(store.size).toBe(0)
    store.dispose()
  })

  it('may be disposed twice and refuses to write afterwards', () => {
    const store = open(freshPath(), { fsync: 'episode' })
    store.append(numbered(0))
    store.dispose()
    store.dispose()
    expect(() => store.append(numbered(1))).toThrow(expect.objectContaining({ code: 'trajectory_store_disposed' }))
  })

  it.each(['step', 'episode', 'never'] as const)('writes the same file with fsync %s', (fsync) => {
    const path = freshPath()
    const store = open(path, { fsync })
    for (let n = 0; n < 12; n++) store.append(numbered(n))
    store.dispose()
    expect(readFileSync(path)).toEqual(readFileSync(written(12)))
  })
})

describe('FileTrajectoryStore, its process killed', () => {
  let program: string
  beforeAll(async () => {
    program = await bundle('writer', folder)
  })

  /** Starts the writer, kills it once it has said `lines` lines, and returns all it said. */
  function killAfter(lines: number, path: string): Promise<string[]> {
    const writer = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    writer.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.split('\n').length > lines) writer.kill('SIGKILL')
    })
    return new Promise((resolve) => writer.on('close', () => resolve(said.split('\n').slice(0, -1))))
  }

  it('has every step whose append returned, and nothing that is not a step, after each of 20 kills', async () => {
    const path = freshPath()
    let torn = 0
    let steps = 0
    for (let kill = 0; kill < 20; kill++) {
      const [repaired, ...acknowledged] = await killAfter(2 + ((kill * 37) % 50), path)
      torn += Number.parseInt(repaired!, 10) > 0 ? 1 : 0
      expect(acknowledged.length).toBeGreaterThan(0)
      expect(Number(acknowledged[0])).toBe(steps)
      const bytes = readFileSync(path)
      steps = Math.floor((bytes.length - HEADER_BYTES) / RECORD_BYTES)
      expect(steps).toBeGreaterThanOrEqual(Number(acknowledged.at(-1)) + 1)
    }
    const store = open(path)
    expect(store.recent(1e6)).toEqual(range(steps))
    expect(store.repair.damagedRecords).toBe(0)
    store.dispose()
    // Each record is written in 32 pieces: nearly every kill hits one in the middle.
    expect(torn).toBeGreaterThan(0)
  })
})

// Uses up a resource, by threads that work a part of the time. Told `{ level }` by its parent, tells it `{ measured }`; ends with it.
// Argument: `{ kind, threads, perCpu, cgroups, folder }`.
import { fdatasyncSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

const STRONGEST = 0.97
const CYCLE_MS = 20 // in which a thread works and rests
const LONGEST_REST_MS = 1000
const TELL_MS = 200
const MIB = 2 ** 20
const LLC_BYTES = 32 * MIB
const STREAM_BYTES = 128 * MIB // beyond any cache
const MOST_FILE_BYTES = 64 * MIB

/** kind → a function that does a little, a fraction of a millisecond of it, and says how many bytes it moved. */
const WORK = {
  cpu: () => {
    let x = 1
    return () => {
      for (let i = 0; i < 100_000; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0
      return x === 0.5 ? 1 : 0 // never, but no engine knows
    }
  },
  llc: () => {
    const lines = new Float64Array(LLC_BYTES / 8).fill(1)
    let at = 0
    return () => {
      let sum = 0
      for (let i = 0; i < 10_000; i++) {
        at = (Math.imul(at, 1664525) + 1013904223) >>> 0
        sum += lines[((at >>> 8) * 8) % lines.length]
      }
      return sum > 0 ? 64 * 10_000 : 0
    }
  },
  'memory-bandwidth': () => {
    const bytes = new Uint8Array(STREAM_BYTES).fill(1)
    let at = 0
    return () => {
      at = (at + MIB) % (STREAM_BYTES / 2)
      bytes.copyWithin(STREAM_BYTES / 2 + at, at, at + MIB)
      return 2 * MIB // read and written
    }
  },
  'disk-io': ({ file }) => {
    const block = Buffer.alloc(MIB / 4, 1)
    let at = 0
    return () => {
      writeSync(file, block, 0, block.length, at)
      fdatasyncSync(file)
      at = (at + block.length) % MOST_FILE_BYTES
      return block.length
    }
  },
}

/** The part of the time that each of so many threads works. */
function dutyAt(level, { kind, perCpu }) {
  const part = STRONGEST * level
  return kind === 'cpu' ? Math.min(1, part / (1 - part) / perCpu) : part
}

if (isMainThread) runMain(JSON.parse(process.argv[2]))
else runThread(workerData)

function runMain({ cgroups, folder, ...plan }) {
  for (const group of cgroups) writeFileSync(group, String(process.pid))
  const file = plan.kind === 'disk-io' ? openNameless(folder) : undefined
  const duty = new Float64Array(new SharedArrayBuffer(8))
  const bytes = new Float64Array(new SharedArrayBuffer(8 * plan.threads))
  const wake = new Int32Array(new SharedArrayBuffer(4))
  for (let thread = 0; thread < plan.threads; thread++)
    new Worker(new URL(import.meta.url), { workerData: { ...plan, file, thread, duty, bytes, wake } })
  const tell = () => {
    const { user, system } = process.cpuUsage()
    const moved = bytes.reduce((sum, each) => sum + each, 0)
    process.send({ measured: { cpuSeconds: (user + system) / 1e6, ...(plan.kind !== 'cpu' && { bytes: moved }) } })
  }
  process.on('disconnect', () => process.exit())
  process.on('message', ({ level }) => {
    duty[0] = dutyAt(level, plan)
    Atomics.add(wake, 0, 1)
    Atomics.notify(wake, 0)
  })
  tell()
  setInterval(tell, TELL_MS)
}

/** A file that lives as long as it is open; threads of a process share it. */
function openNameless(folder) {
  const own = mkdtempSync(join(folder, 'stressor-'))
  const file = openSync(join(own, 'writes'), 'w')
  rmSync(own, { recursive: true })
  return file
}

function runThread({ kind, file, thread, duty, bytes, wake }) {
  const work = WORK[kind]({ file })
  const bed = new Int32Array(new SharedArrayBuffer(4)) // nobody wakes who lies here
  for (;;) {
    const began = performance.now()
    while (performance.now() - began < duty[0] * CYCLE_MS) bytes[thread] += work()
    const worked = performance.now() - began
    // As much rest as belongs to what was worked, if that took longer than it should; without work it waits to be told.
    if (duty[0] > 0) Atomics.wait(bed, 0, 0, Math.min(LONGEST_REST_MS, worked * (1 / duty[0] - 1)))
    else Atomics.wait(wake, 0, wake[0], LONGEST_REST_MS)
  }
}

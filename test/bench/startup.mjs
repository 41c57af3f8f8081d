// How long a fresh process waits for its first decision, and what a long run does to memory.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from './harness.mjs'

export const name = 'startup and memory'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PROCESSES = 15
const DECISIONS = 1_000_000
const UPDATES = 100_000

const inFreshProcess = (text, ...flags) =>
  JSON.parse(
    execFileSync(process.execPath, [...flags, '--input-type=module', '--eval', text], { cwd: ROOT, encoding: 'utf8' }),
  )

const FIRST_DECISION = `
const start = performance.now()
const { createCore, Mlp } = await import('@trimtab/core')
const core = await createCore()
const actor = new Mlp(core, { sizes: [8, 40, 40, 5], activations: ['relu', 'relu', 'tanh'] })
const action = new Float32Array(5)
actor.forward(new Float32Array(8).fill(0.5), action)
console.log(JSON.stringify(performance.now() - start))`

/** The README's example. */
const [, TEN_LINES] = /```js\n(.*?)```/s.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))

/** From the start of a process to its end. @returns ms */
function timeProcess(text) {
  const start = performance.now()
  execFileSync(process.execPath, ['--input-type=module', '--eval', text], { cwd: ROOT, stdio: 'ignore' })
  return performance.now() - start
}

/** Memory is read at a tenth and at the end: what a leak would add lies between. */
const LONG_RUN = `
import { createCore } from '@trimtab/core'
import { boxSpace, createDdpg } from '@trimtab/learn'
const core = await createCore()
const names = (prefix, n) => Array.from({ length: n }, (_, i) => prefix + i)
const agent = createDdpg(core, {
  observation: boxSpace(names('s', 12)), action: boxSpace(names('a', 3)), seed: 1,
  options: { capacity: 1000, updatesPerStep: 1 },
})
const observation = new Float32Array(12)
const action = new Float32Array(3)
const wave = (i) => { for (let j = 0; j < 12; j++) observation[j] = ((i * (j + 1)) % 17) / 8 - 1 }
const bytes = () => { gc(); return { wasm: core.memory.buffer.byteLength, heap: process.memoryUsage().heapUsed } }
const transition = { observation, action, reward: 1, nextObservation: observation, terminated: false }
function run(from, to) {
  for (let i = from; i < to; i++) {
    wave(i)
    agent.decide(observation, action)
    if (i % ${DECISIONS / UPDATES} === 0) { agent.observe(transition); agent.update() }
  }
}
run(0, ${DECISIONS / 10})
const before = bytes()
run(${DECISIONS / 10}, ${DECISIONS})
const after = bytes()
console.log(JSON.stringify({ wasm: after.wasm - before.wasm, heap: after.heap - before.heap }))`

export async function run({ log }) {
  const firstDecisions = Array.from({ length: PROCESSES }, () => inFreshProcess(FIRST_DECISION))
  const tenLines = Array.from({ length: PROCESSES }, () => timeProcess(TEN_LINES))
  const empty = Array.from({ length: PROCESSES }, () => timeProcess(''))
  log(`running ${DECISIONS.toLocaleString('en')} decisions and ${UPDATES.toLocaleString('en')} updates`)
  const growth = inFreshProcess(LONG_RUN, '--expose-gc')
  return [
    { name: 'import to first decision', ours: median(firstDecisions), target: { ours: 25 }, unit: 'ms' },
    {
      name: "the README's ten lines, a whole process (peer: an empty one)",
      ...{ ours: median(tenLines), peer: median(empty), target: { ours: 300 }, unit: 'ms' },
    },
    {
      name: '10^6 decisions, 10^5 updates: wasm memory grows',
      ours: growth.wasm / 1024,
      target: { ours: 0 },
      unit: 'kB',
    },
    {
      name: '10^6 decisions, 10^5 updates: JS heap grows',
      ours: growth.heap / 1024,
      target: { ours: 100 },
      unit: 'kB',
    },
  ]
}

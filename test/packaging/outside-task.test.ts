// Two tasks of a user's own, a discrete and a continuous one, in a folder outside the repository: nothing else is changed for them.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const TRIMTAB = fileURLToPath(new URL('../../packages/cli', import.meta.url))
const STEPS = 20

/** A reservoir that leaks: the action fills it, too little breaks the SLO, too much costs. */
const taskOf = (kind: 'discrete' | 'continuous'): string => `
import { boxSpace, discreteSpace } from 'trimtab/learn'
import { defineTask } from 'trimtab/tasks'

const observation = boxSpace(['level'], -1, 1)
const action = ${kind === 'discrete' ? "discreteSpace('valve', 5)" : "boxSpace(['valve'])"}
const flowOf = (choice) => ${kind === 'discrete' ? 'choice / 4' : '(choice + 1) / 2'}

class Reservoir {
  observation = observation
  action = action
  #state = Float64Array.of(0, 0)
  constructor(leak) { this.leak = leak }
  reset(seed) {
    this.#state.set([0.3 + 0.05 * (seed % 5), 0])
    return this.#seen()
  }
  step(choice) {
    const s = this.#state
    s[0] = Math.min(1, Math.max(0, s[0] - this.leak + 0.5 * flowOf(choice[0])))
    s[1]++
    const dry = s[0] < 0.4 ? 1 : 0
    return { observation: this.#seen(), reward: 1 - s[0] - dry, terminated: false, truncated: s[1] >= ${STEPS}, info: { dry } }
  }
  save() { return new Uint8Array(this.#state.slice().buffer) }
  load(state) { this.#state.set(new Float64Array(Uint8Array.from(state).buffer)) }
  dispose() {}
  #seen() { return Float32Array.of(2 * this.#state[0] - 1) }
}

export const task = defineTask({
  kind: 'control',
  name: 'reservoir-${kind}',
  observation,
  action,
  episodeSteps: ${STEPS},
  generate: (core, number) => ({ leak: 0.1 + 0.02 * (number % 10) }),
  environment: (core, { leak }) => new Reservoir(leak),
  rules: [
    { name: 'threshold', create: () => ({ name: 'threshold', decide: ([level], out) => { out[0] = level < 0.2 ? ${kind === 'discrete' ? 4 : 1} : ${kind === 'discrete' ? 1 : -0.5} } }) },
    { name: 'open', create: () => ({ name: 'open', decide: (_, out) => { out[0] = ${kind === 'discrete' ? 4 : 1} } }) },
  ],
  baseLearner: ${
    kind === 'discrete'
      ? "{ algorithm: 'dqn', preset: 'cpu-frequency', options: { warmUp: 64 } }"
      : "{ algorithm: 'ddpg', preset: 'autoscaling', options: {} }"
  },
  safety: { isViolation: (info) => info.dry === 1, safeDirection: [1] },
})
`

/** The same through the SDK: workers, a pretrained model adapted, and an envelope whose every action is checked. */
const SDK = `
import { EnvelopePilot } from 'trimtab/control'
import { createCore } from 'trimtab/core'
import { createBaseLearner, metaPresets, runEpisode } from 'trimtab/learn'
import { WorkerPool } from 'trimtab/node'
import { adapt, compare, pretrain } from 'trimtab/studies'
import { loadTask } from 'trimtab/tasks'

const reference = process.argv[2]
const task = await loadTask(reference)
const core = await createCore()

const pool = new WorkerPool({ module: new URL(import.meta.resolve('trimtab/studies/jobs')), size: 2 })
const options = { pairs: 1, seeds: 2, episodes: 8, reference }
const compared = await compare(task, options, { run: (spec) => pool.run('trial', spec) })
await pool.dispose()

const setup = { task: reference, first: 0, pairs: 8, rounds: 2, meta: metaPresets.set, seed: 1 }
const model = await pretrain(task, setup)
const adapted = []
const request = { first: 20, pairs: 1, episodes: 1, methods: ['pretrained'], seed: 1 }
for await (const record of adapt(task, model, request)) adapted.push(record.reward)

const world = task.environment(core, task.generate(core, 3))
const rule = task.fallback(core, world)
const { observation, action, baseLearner: base } = task
const agent = createBaseLearner(core, { task: task.name, base, observation, action, contextSize: 0, seed: 1 })
const pilot = new EnvelopePilot(agent, rule, action, {
  isViolation: task.safety.isViolation, safeDirection: task.safety.safeDirection, ruleEpisodes: 2,
})
const step = action.kind === 'discrete' ? 1 : 0.5
const told = { ticks: 0, byAgent: 0, outside: 0, jumps: 0, farFromRule: 0 }
const asked = new Float32Array(1)
const half = (action.high[0] - action.low[0]) / 2
for (let episode = 0; episode < 12; episode++) {
  let last
  runEpisode(world, pilot, {
    seed: episode, episode, guard: { limits: { [action.names[0]]: { increase: { maxStep: step }, decrease: { maxStep: step } } } },
    onTick({ action: [applied], source }) {
      told.ticks++
      if (source === 'agent') told.byAgent++
      if (!(applied >= action.low[0] && applied <= action.high[0])) told.outside++
      if (last !== undefined && Math.abs(applied - last) > step + 1e-6) told.jumps++
      last = applied
    },
  })
}
// Without step limits, what the agent applies lies within the envelope around what the rule would have done.
for (let episode = 12; episode < 16; episode++) {
  const reach = Math.ceil(Math.max(pilot.width, 0.5) * half)
  runEpisode(world, pilot, {
    seed: episode, episode,
    onTick({ action: [applied], observation, source }) {
      rule.decide(observation, asked)
      if (source === 'agent' && Math.abs(applied - asked[0]) > reach + 1e-6) told.farFromRule++
    },
  })
}
console.log(JSON.stringify({ name: task.name, controllers: compared.controllers, adapted, told, bytes: model.save().length }))
`

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trimtab-outside-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(TRIMTAB, join(folder, 'node_modules/trimtab'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const kind of ['discrete', 'continuous'] as const) writeFileSync(join(folder, `${kind}.js`), taskOf(kind))
  writeFileSync(join(folder, 'sdk.js'), SDK)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** @returns stdout; exit code 1 (the answer is bad) is an answer too */
function run(...args: string[]): string {
  try {
    return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string }
    if (status !== 1 || /at .*\.js:/.test(stderr)) throw new Error(`exit ${status}: ${stderr}`)
    return stdout
  }
}
const trimtab = (...args: string[]): string => run(join(TRIMTAB, 'dist/bin.js'), ...args)

describe.each(['discrete', 'continuous'])('a %s task from outside', (kind) => {
  const module = `./${kind}.js`

  it('is pretrained, adapted and compared by the command, in worker threads', () => {
    const model = `${kind}.safetensors`
    const pool = ['--pool', '8', '--first', '0', '--rounds', '2', '--workers', '2', '--out', model, '--json']
    expect(JSON.parse(trimtab('pretrain', module, ...pool))).toMatchObject({ task: `reservoir-${kind}`, pairs: 8 })
    const adapted = JSON.parse(
      trimtab('adapt', module, '--model', model, '--first', '20', '--pairs', '1', '--episodes', '1', '--json'),
    )
    expect(adapted.records).toHaveLength(4)
    const small = ['--apps', '1', '--seeds', '2', '--episodes', '8', '--workers', '2']
    const compared = JSON.parse(trimtab('compare', module, ...small, '--json', '--report', 'page.html'))
    expect(compared.controllers.map(({ name }: { name: string }) => name)).toEqual([
      'threshold',
      'open',
      'trimtab',
      'scratch',
    ])
    const page = readFileSync(join(folder, 'page.html'), 'utf8')
    expect(page).toContain(`reservoir-${kind}, side by side`)
  })

  it('is pretrained, adapted and compared through the SDK, inside the bounds of guard and envelope', () => {
    const found = JSON.parse(run('sdk.js', `file://${folder}/${kind}.js`))
    expect(found.name).toBe(`reservoir-${kind}`)
    expect(found.controllers).toHaveLength(4)
    expect(found.adapted.every(Number.isFinite)).toBe(true)
    expect(found.told).toMatchObject({ ticks: 12 * STEPS, outside: 0, jumps: 0, farFromRule: 0 })
    expect(found.told.byAgent).toBeGreaterThan(STEPS)
  })
})

it('is refused with every problem when it is half made', () => {
  writeFileSync(join(folder, 'half.js'), 'export const task = { kind: "control", name: "half", colour: "red" }')
  expect(() => trimtab('compare', './half.js')).toThrow(/exit 2: .*task\.colour is no option.*rules must be a list/s)
  expect(() => trimtab('compare', './none.js')).toThrow(/exit 2: .*none\.js cannot be imported/s)
})

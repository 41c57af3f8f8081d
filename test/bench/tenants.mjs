// Many tenants: a step of all their agents, what each takes of memory, and a PPO epoch whose critic sees the others.
import { createCore, Random } from '@trimtab/core'
import { AgentSums, boxSpace, createPpo, discreteSpace, SIMPPO_FULL, writeOthers } from '@trimtab/learn'
import { measure, median, speedUp } from './harness.mjs'
import { epochRow } from './learn/ppo.mjs'
import { loadTfjs } from './peers/load-tfjs.mjs'

export const name = 'tenants'

const LOCAL = 7
const ACTIONS = 5
const SUMMED = 6
const EPISODE_STEPS = 50
const VARIABLES = Array.from({ length: SUMMED }, (_, k) => ({ name: `number${k}` }))
const GLOBAL = boxSpace(Array.from({ length: 2 * SUMMED }, (_, k) => `others${k}`))

function agentOf(core, agents) {
  const local = Array.from({ length: LOCAL }, (_, i) => `local${i}`)
  return createPpo(core, {
    ...{ observation: boxSpace(local), action: discreteSpace('change', ACTIONS), global: GLOBAL, seed: 1 },
    ...{ preset: SIMPPO_FULL.preset, partitions: agents },
    options: { ...SIMPPO_FULL.options, rolloutSteps: agents * EPISODE_STEPS, miniBatchSize: 64 },
  })
}

/** A step of all agents: sums over them, what each sees of the others, one batched forward pass, a draw each. */
function stepOf(core, agents) {
  const agent = agentOf(core, agents)
  const random = new Random(core, agents)
  const observations = Float32Array.from({ length: agents * LOCAL }, () => 2 * random.uniform() - 1)
  random.dispose()
  const [globals, actions] = [new Float32Array(agents * 2 * SUMMED), new Float32Array(agents)]
  const sums = new AgentSums(SUMMED)
  const step = () => {
    sums.clear()
    for (let i = 0; i < agents; i++) sums.add(observations, i * LOCAL)
    for (let i = 0; i < agents; i++) {
      const own = observations.subarray(i * LOCAL, (i + 1) * LOCAL)
      writeOthers(sums, VARIABLES, own, globals.subarray(2 * SUMMED * i, 2 * SUMMED * (i + 1)))
    }
    agent.exploreMany(observations, actions)
    return actions[0] + globals[0]
  }
  /** The same decisions, an agent at a time. */
  const oneByOne = () => {
    const action = new Float32Array(1)
    let sum = 0
    for (let i = 0; i < agents; i++) {
      agent.explore(observations.subarray(i * LOCAL, (i + 1) * LOCAL), action, i)
      sum += action[0]
    }
    return sum
  }
  return { agent, step, oneByOne }
}

async function stepRows(core) {
  const [thousand, tenThousand] = [stepOf(core, 1000), stepOf(core, 10_000)]
  const times = await measure(
    { thousand: thousand.step, oneByOne: thousand.oneByOne, tenThousand: tenThousand.step },
    { rounds: 15, batchMs: 40, clock: 'cpu' },
  )
  for (const { agent } of [thousand, tenThousand]) agent.dispose()
  const [one, ten] = [median(times.thousand) * 1e3, median(times.tenThousand) * 1e3]
  return [
    {
      name: 'a step of 1,000 agents: global sums, forward, sampling; peer: forward and sampling agent by agent',
      ...{ ours: one, peer: median(times.oneByOne) * 1e3, ratio: speedUp(times.thousand, times.oneByOne) },
      ...{ target: { ours: 1 }, unit: 'ms' },
    },
    {
      name: 'a thousand of 10,000 agents; peer: 1,000 alone (linear: ratio 1)',
      ...{ ours: ten / 10, peer: one, ratio: (10 * one) / ten, target: { ratio: 0.8 }, unit: 'ms' },
    },
  ]
}

async function memoryRow() {
  const core = await createCore()
  const agents = 1000
  const agent = agentOf(core, agents)
  const kilobytes = core.usedBytes / agents / 1000
  agent.dispose()
  return {
    name: `memory of an agent, one policy for 1,000, a rollout of ${EPISODE_STEPS} steps of each`,
    ...{ ours: kilobytes, target: { ours: 64 }, unit: 'kB' },
  }
}

export async function run({ log }) {
  log('tenants: a step')
  const steps = await stepRows(await createCore())
  log('tenants: memory, PPO')
  const { tfjsPpo } = await loadTfjs()
  const epoch = await epochRow(await createCore(), tfjsPpo, '7-64-64-5, critic 19-64-64-1', {
    ...{ stateSize: LOCAL, globalSize: 2 * SUMMED, hidden: [64, 64], actionSize: ACTIONS, policy: 'categorical' },
  })
  return [...steps, await memoryRow(), epoch]
}

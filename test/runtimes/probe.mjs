// What must be the same on every runtime, as hashes. Only the language, WebAssembly and WebCrypto are used here.
import { createCore, Random } from '@trimtab/core'
import { createTraceCore } from '@trimtab/core/trace'
import { createDdpg } from '@trimtab/learn'
import { AUTOSCALING_DDPG, AutoscalingEnvironment, generateApplication, generateLoad } from '@trimtab/tasks/autoscaling'
import {
  generateFunctions,
  INVOKER,
  SERVERLESS_DEFAULTS,
  SERVERLESS_PRESETS,
  ServerlessEnvironment,
} from '@trimtab/tasks/serverless'
import { fitRegressor, pretrain, trainBcq, trainDqn, trainPpo } from './probe-learning.mjs'
import { findPaths, judge, readAll } from './probe-traces.mjs'

const SEED = 20_260
const DRAWS = 1000
const EPISODES = 10
const DECISIONS = 1000
const TENANTS = 20

async function sha256(view) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Every distribution of `Random`, interleaved, and the state it ends in. */
function drawRandom(core) {
  const random = new Random(core, SEED, 1)
  const draws = []
  for (let i = 0; i < DRAWS; i++) {
    draws.push(random.uniform(), random.integer(i + 1), random.normal(), random.exponential(2))
    draws.push(random.gamma(0.5 + i / 100), random.beta(2, 5), random.poisson(i / 10))
  }
  draws.push(...random.save())
  return Float64Array.from(draws)
}

function evaluateMath({ math }) {
  const values = []
  for (let i = -DRAWS; i <= DRAWS; i++) {
    const x = i / 37
    values.push(math.exp(x), math.tanh(x), math.sigmoid(x), math.sin(x), math.cos(x))
    values.push(math.log(Math.abs(x) + 1e-3), math.logGamma(Math.abs(x) + 1e-3), math.pow(Math.abs(x) + 1e-3, 1.7))
  }
  return Float64Array.from(values)
}

/** An agent that has learned for a few episodes on a generated application and load, and every reward it met. */
function train(core) {
  const environment = new AutoscalingEnvironment(core, generateApplication(core, SEED), generateLoad(core, SEED, 3))
  const { observation: observations, action: actions } = environment
  const agent = createDdpg(core, { ...AUTOSCALING_DDPG, observation: observations, action: actions, seed: SEED })
  const action = new Float32Array(actions.names.length)
  const rewards = []
  for (let episode = 0; episode < EPISODES; episode++) {
    let observation = environment.reset(SEED + episode)
    for (let ended = false; !ended; ) {
      agent.explore(observation, action)
      const step = environment.step(action)
      agent.observe({
        observation,
        action,
        reward: step.reward,
        nextObservation: step.observation,
        terminated: step.terminated,
      })
      agent.update()
      rewards.push(step.reward)
      observation = step.observation
      ended = step.terminated || step.truncated
    }
    agent.endEpisode()
  }
  return { agent, rewards: Float64Array.from(rewards), observations, actions }
}

/** What the trained policy decides for states all over the observation space. */
function decide(core, { agent, observations, actions }) {
  const random = new Random(core, SEED, 2)
  const observation = new Float32Array(observations.names.length)
  const action = new Float32Array(actions.names.length)
  const decisions = new Float32Array(DECISIONS * action.length)
  for (let i = 0; i < DECISIONS; i++) {
    for (let j = 0; j < observation.length; j++) observation[j] = random.normal()
    agent.decide(observation, action)
    decisions.set(action, i * action.length)
  }
  return decisions
}

/** An episode of many tenants who act at random on a platform too small for them, one of whose invokers is lost. */
function contend(core) {
  const functions = generateFunctions(core, SEED, TENANTS)
  const random = new Random(core, SEED, 3)
  const load = Array.from({ length: 60 }, () => random.exponential())
  const spec = {
    ...SERVERLESS_DEFAULTS,
    functions,
    loads: { load },
    tenants: functions.map(({ name }) => ({ functions: [name], loads: ['load'], meanCores: 1 })),
    invokers: [{ ...INVOKER, count: 2, memoryMiB: 8192 }],
    events: [{ step: 20, kind: 'invoker-loss', invoker: 0 }],
  }
  const environment = new ServerlessEnvironment(core, spec, SERVERLESS_PRESETS['simppo-full'])
  const told = []
  const actions = new Float32Array(TENANTS)
  let step = environment.reset(SEED)
  while (!step.truncated) {
    for (let i = 0; i < TENANTS; i++) actions[i] = random.integer(5)
    step = environment.step(actions)
    told.push(...step.observations, ...step.globals, ...step.rewards, ...step.info.p99OverSlo)
  }
  told.push(...environment.save())
  return Float64Array.from(told)
}

async function probeBuild(build) {
  const core = await createCore({ build })
  const traceCore = await createTraceCore()
  const trained = train(core)
  const { profile, culprits } = judge(traceCore)
  return {
    random: await sha256(drawRandom(core)),
    math: await sha256(evaluateMath(core)),
    rewards: await sha256(trained.rewards),
    policy: await sha256(trained.agent.save()),
    decisions: await sha256(decide(core, trained)),
    tenants: await sha256(contend(core)),
    dqn: await sha256(trainDqn(core)),
    ppo: await sha256(trainPpo(core)),
    bcq: await sha256(trainBcq(core)),
    regressor: await sha256(fitRegressor(core)),
    pretrainedSet: await sha256(await pretrain(core, 'set')),
    pretrainedGru: await sha256(await pretrain(core, 'gru')),
    spans: await sha256(await readAll(traceCore)),
    paths: await sha256(findPaths(traceCore)),
    profile: await sha256(profile),
    culprits: await sha256(culprits),
  }
}

/** @returns the hashes of both reproducible builds */
export const probe = async () => ({ simd: await probeBuild('simd'), scalar: await probeBuild('scalar') })

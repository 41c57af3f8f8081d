// Jobs of the worker pool: an application's first episodes under one controller, and its updates under several.
import {
  ControlLoop,
  EnvelopePilot,
  Lifecycle,
  LifecyclePilot,
  MarginPilot,
  RetrainingPilot,
  rulePilot,
  servingPilot,
} from '@trimtab/control'
import { createCore, Random } from '@trimtab/core'
import { createBcq, createDdpg, exploringPilot } from '@trimtab/learn'
import {
  AUTOSCALING_BCQ,
  AUTOSCALING_DDPG,
  AutoscalingEnvironment,
  AWARE_DDPG,
  ampleLatencyMs,
  generateApplication,
  generateLoad,
  HpaVpa,
  RelativeView,
  seedsFrom,
  tuneHpaVpa,
  UPDATE_SCENARIOS,
} from '@trimtab/tasks/autoscaling'

const SLO_FACTOR = 2
const LEARNING_PART = [0, 0.7]
const TUNING = { first: 900_000_000, episodes: 40 }
const WINDOW = 10 // episodes that count as recent (Algorithm 5.1)
const RATE_FACTOR = 1.1 // violations allowed after an update: this much of what serving had …
const LEAST_RATE = 0.01 // … and no less than this share of steps
const MAX_DROP = 0.026 // 5.5.3: the retraining threshold of 5 is a reward 2.6 % lower

let core

/** Application, load, environment and the rule tuned for it. */
function worldOf({
  app,
  view = 'relative',
  penalty = 2,
  sloFactor = SLO_FACTOR,
  application = generateApplication(core, app),
  settings,
}) {
  const environment = new AutoscalingEnvironment(core, application, generateLoad(core, app), {
    cluster: { sloFactor },
    ...{ part: LEARNING_PART, view, violationPenalty: penalty },
  })
  const seeds = seedsFrom(TUNING.first, TUNING.episodes)
  const tuned = settings ?? tuneHpaVpa(core, environment, seeds)
  const rule = new HpaVpa(core, environment, environment.simulator.options.bounds, tuned)
  return { application, environment, rule, settings: tuned }
}

const spacesOf = ({ environment }) => ({ observation: environment.observation, action: environment.action })

const isViolation = (info) => info.measuredViolation === 1

/** Cores, memory headroom, target utilisation; or absolute limits and replicas. */
const safeDirectionOf = ({ environment }) => (environment.view instanceof RelativeView ? [1, 1, -1] : [1, 1, 1])

/** What a view knows without trying it. */
function hindsightOf({ environment }, seed) {
  if (!(environment.view instanceof RelativeView)) return {}
  const random = new Random(core, seed, 6)
  return { hindsight: (action) => environment.hindsight(action, 2 * random.uniform() - 1) }
}

function envelopeOf(agent, world, seed, state) {
  const { environment, rule } = world
  const isRelative = environment.view instanceof RelativeView
  const options = {
    isViolation,
    ...(isRelative && { safeDirection: safeDirectionOf(world), ...hindsightOf(world, seed) }),
  }
  return new EnvelopePilot(agent, rule, environment.action, options, state)
}

/** A policy that leans to its safe side by what breaks. */
const marginOf = (parts, world, seed, allowedRate) =>
  new MarginPilot(
    { ...parts, action: world.environment.action },
    {
      ...{ isViolation, allowedRate, ...hindsightOf(world, seed) },
      safeDirection: safeDirectionOf(world),
    },
  )

/** One that does not learn. */
const NOBODY = { observe() {}, update() {}, endEpisode() {} }

/** The papers' bootstrapping: T_online is the rule's own mean reward here. */
function literalOf(agent, world) {
  const { environment, rule } = world
  const loop = loopOf(world, rulePilot(rule), (episode) => TUNING.first + episode)
  const rewards = Array.from({ length: WINDOW }, () => loop.runEpisode().reward)
  loop.dispose()
  const onlineReward = meanOf(rewards)
  environment.part = LEARNING_PART
  const never = { servingReward: Number.POSITIVE_INFINITY, servingDeviation: 0 }
  return new LifecyclePilot({
    agent,
    rule,
    lifecycle: new Lifecycle({ bootstrap: true, onlineReward, ...never, window: WINDOW }),
  })
}

const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length

const loopOf = ({ environment }, pilot, seedOf) => new ControlLoop({ environment, pilot, episodes: 1e9, seedOf })

/** One episode in true figures. */
function live(loop, pilot) {
  const { stage } = pilot
  const sums = { reward: 0, violations: 0, broken: 0, cpu: 0, memory: 0, cores: 0 }
  const {
    steps,
    sources,
    reward: measured,
  } = loop.runEpisode(({ info }) => {
    sums.reward += info.trueReward
    sums.violations += info.trueViolation
    sums.broken += info.measuredViolation
    sums.cpu += info.cpuUtilisation01
    sums.memory += info.memoryUtilisation01
    sums.cores += info.requestedCores
  })
  const { cpu, memory, cores, ...rest } = sums
  return {
    stage,
    measured,
    ...rest,
    cpu: cpu / steps,
    memory: memory / steps,
    cores: cores / steps,
    byAgent: sources.agent,
  }
}

/** controller → its pilot in a world. */
const CAST = {
  rule: (world) => rulePilot(world.rule),
  scratch: (world, seed) =>
    exploringPilot(createDdpg(core, { ...AUTOSCALING_DDPG, ...spacesOf(world), seed }), world.rule),
  'scratch-paper': (world, seed) =>
    exploringPilot(createDdpg(core, { ...AWARE_DDPG, ...spacesOf(world), seed }), world.rule),
  'lifecycle-ddpg': (world, seed) =>
    literalOf(createDdpg(core, { ...AUTOSCALING_DDPG, ...spacesOf(world), seed }), world),
  'lifecycle-bcq': (world, seed) => literalOf(createBcq(core, { ...AUTOSCALING_BCQ, ...spacesOf(world), seed }), world),
  'envelope-bcq': (world, seed) =>
    envelopeOf(createBcq(core, { ...AUTOSCALING_BCQ, ...spacesOf(world), seed }), world, seed),
  envelope: (world, seed) =>
    envelopeOf(createDdpg(core, { ...AUTOSCALING_DDPG, ...spacesOf(world), seed }), world, seed),
}

/** The first episodes of a controller with an application. @returns [episodes] of `live` */
export async function early({ app, seed, controller, episodes }) {
  core ??= await createCore()
  const isPaper = controller === 'scratch-paper'
  const world = worldOf({ app, ...(isPaper && { view: 'absolute', penalty: 0 }) })
  const pilot = CAST[controller](world, seed * 1000 + app)
  const loop = loopOf(world, pilot, (episode) => seed * 100_000 + episode)
  const curve = Array.from({ length: episodes }, () => live(loop, pilot))
  loop.dispose()
  world.environment.dispose()
  return curve
}

/**
 * A converged policy meets each update of its application, every time from the same moment (5.5.3). The SLO stays what it was:
 * a contract does not move with a patch. In the same episodes: the rule (tuned for what the application was), the policy as it
 * stands, the margin alone, incremental retraining with it, and a policy that was trained on to convergence before it is judged.
 * @param input  { app, seed, view, penalty, training: episodes before, episodes: after the update, converging: of the reference }
 * @returns { before: curve, updates: [{ name, arms: { rule, none, margin, retraining, converged: curves } }] }
 */
export async function serving({ app, seed, view, penalty, training, episodes, converging }) {
  core ??= await createCore()
  const world = worldOf({ app, view, penalty })
  const agentSeed = seed * 1000 + app
  const newAgent = (saved) => {
    const agent = createDdpg(core, { ...AUTOSCALING_DDPG, ...spacesOf(world), seed: agentSeed })
    if (saved) agent.load(saved)
    return agent
  }
  const agent = newAgent()
  run(world, exploringPilot(agent, world.rule), training, (episode) => seed * 100_000 + episode)
  const checkEpisode = (episode) => seed * 100_000 + 40_000 + episode
  const envelope = unboundEnvelope(run(world, rulePilot(world.rule), WINDOW, checkEpisode))
  const served = envelopeOf(agent, world, seed, envelope).policy
  const before = run(world, servingPilot(served, world.rule), WINDOW, checkEpisode)
  const learned = agent.save()
  agent.dispose()

  const servedRate = meanOf(before.map(({ broken }) => broken)) / world.environment.stepsPerEpisode
  const allowedRate = Math.max(LEAST_RATE, RATE_FACTOR * servedRate)
  const concerned = UPDATE_SCENARIOS.filter(({ apply }) => apply(world.application) !== world.application)
  const updates = concerned.map(({ name, apply }) => {
    const application = apply(world.application)
    const sloFactor = (SLO_FACTOR * ampleLatencyMs(core, world.application)) / ampleLatencyMs(core, application)
    const updated = worldOf({ app, view, penalty, application, sloFactor, settings: world.settings })
    const { rule } = updated
    const live = (pilot, count = episodes, from = 60_000) =>
      run(updated, pilot, count, (episode) => seed * 100_000 + from + episode)
    /** A copy of the agent goes on, in an envelope that does not bind yet. */
    const goOn = (act) => {
      const copy = newAgent(learned)
      const curve = act(envelopeOf(copy, updated, seed, envelope), copy)
      copy.dispose()
      return curve
    }
    const retrainingOf = (parts) =>
      new RetrainingPilot({
        learner: marginOf(parts, updated, seed, allowedRate),
        lifecycle: lifecycleFrom(before),
        violations: { isViolation, allowedRate },
      })
    const arms = {
      rule: live(rulePilot(rule)),
      none: goOn(({ policy }) => live(servingPilot(policy, rule))),
      margin: goOn(({ policy }) => live(retrainingOf({ agent: NOBODY, policy, rule }))),
      retraining: goOn(({ policy }, agent) => live(retrainingOf({ agent, policy, rule }))),
      converged: goOn(({ policy }, copy) => {
        live(exploringPilot(copy, rule), converging, 80_000)
        return live(servingPilot(policy, rule))
      }),
    }
    updated.environment.dispose()
    return { name, arms }
  })
  world.environment.dispose()
  return { before, updates }
}

/** An envelope that no longer binds, with what is known of the rule: where a converged policy stands. */
const unboundEnvelope = (byRule) => ({
  ...{ episode: 1000, width: 2, balance: 2, isRuleDriving: false },
  ...{ ruleSteps: 500 + 100 * byRule.length, ruleViolations: 1 + byRule.reduce((sum, { broken }) => sum + broken, 0) },
})

function run(world, pilot, episodes, seedOf) {
  const loop = loopOf(world, pilot, seedOf)
  const curve = Array.from({ length: episodes }, () => live(loop, pilot))
  loop.dispose()
  return curve
}

// The retraining detector: five recent episodes and the algorithm to the letter. Ten of them with two in agreement find an
// update after eight episodes, most of the violations of which are then past.
const RECENT = { window: 5, hysteresis: 1 }

/** Serving, with the bounds of what was measured at convergence: 2.6 % below the mean (5.5.3), three times the deviation. */
function lifecycleFrom(before) {
  const rewards = before.map(({ measured }) => measured)
  const mean = meanOf(rewards)
  const deviation = Math.sqrt(meanOf(rewards.map((reward) => (reward - mean) ** 2)))
  return new Lifecycle(
    {
      ...{ bootstrap: false, onlineReward: mean, servingReward: mean - MAX_DROP * Math.abs(mean) },
      ...{ servingDeviation: 3 * deviation, ...RECENT },
    },
    { stage: 'serving', rewards, candidate: 'serving', agreed: 0 },
  )
}

// Jobs of the worker pool: one application under one campaign with one way to mitigate, and the learning of an agent.
import { createCore, Random } from '@trimtab/core'
import {
  ANOMALY_KINDS,
  createPreset,
  faultFreeSlosMs,
  generateCampaign,
  mitigate,
  nodesFor,
  provision,
  SimulatedApplication,
  usualProfiles,
} from '@trimtab/tasks/microservices'
import { learnAgent } from './agents.mjs'
import { policyOf } from './arms.mjs'
import { Judge } from './judge.mjs'
import { WORLDS } from './worlds.mjs'

const LOAD = 1.6
const REFERENCE_SEED = 1_000_000 // so that no reference run has the requests of a judged one
const NODES = 4
const SINGLE = { everySeconds: 20, durationSeconds: 8, weakest: 0.6 }

const core = await createCore()
const applications = new Map()

/** Everything about an application that its campaigns share. */
function applicationOf(name) {
  if (!applications.has(name)) {
    const graph = provision(createPreset(core, name), { load: LOAD })
    const slos = faultFreeSlosMs(core, graph, { seed: REFERENCE_SEED })
    const slosMs = new Map(graph.requests.map((request, type) => [request.name, slos[type]]))
    const deployed = new Map(graph.services.map(({ name: service, grant }) => [service, grant]))
    applications.set(name, { core, graph, slos, slosMs, deployed, usual: usualProfiles(core, graph, REFERENCE_SEED) })
  }
  return applications.get(name)
}

/** One anomaly after the other, with time to recover between them. */
function singles(graph, seed, seconds) {
  const random = new Random(core, seed, 31)
  const { everySeconds, durationSeconds, weakest } = SINGLE
  const replicas = graph.services.flatMap(({ name, replicas: count }) =>
    Array.from({ length: count }, (_, replica) => ({ service: name, replica })),
  )
  const anomalies = Array.from({ length: Math.floor(seconds / everySeconds) }, (_, i) => ({
    kind: ANOMALY_KINDS[i % ANOMALY_KINDS.length],
    target: replicas[random.integer(replicas.length)],
    startSeconds: 10 + everySeconds * i,
    durationSeconds,
    intensity: weakest + (1 - weakest) * random.uniform(),
  }))
  random.dispose()
  return { name: 'singles', anomalies }
}

/** @returns figures of the whole run, and for each anomaly the seconds in the 20 s from its start in which an SLO was broken */
export async function mitigationCell({ app, world, arm, campaign: style, seed, seconds, policyFile }) {
  const application = applicationOf(app)
  const { graph } = application
  const campaign =
    style === 'singles' ? singles(graph, seed, seconds) : generateCampaign(core, graph, { seed, seconds })
  const { headroom, options } = WORLDS[world]
  const nodes = headroom ? nodesFor(graph, NODES, headroom) : []
  const simulated = new SimulatedApplication(core, graph, { campaign, nodes, seed, ...options })
  const policy = policyOf(arm, { ...application, campaign, simulated, seed, policyFile })
  const judge = new Judge(application)
  for await (const { outcomes } of mitigate({ source: simulated, actuators: simulated, policy })) {
    judge.take(simulated.latest, outcomes)
    if (simulated.simulator.nowSeconds >= seconds + 10) break
  }
  simulated.dispose()
  return judge.record(campaign.anomalies)
}

/** @returns the agent's policy file */
export const agentOf = ({ apps, variant, seed, episodes }) =>
  learnAgent(
    core,
    apps.map((app) => applicationOf(app).graph),
    { variant, seed, episodes },
  )

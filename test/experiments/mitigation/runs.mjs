// An application's life under a campaign: what judged runs and agents that learn have in common.
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
import { WORLDS } from './worlds.mjs'

const LOAD = 1.6
const REFERENCE_SEED = 1_000_000 // so that no reference run has the requests of a judged one
const NODES = 4
const SINGLE = { everySeconds: 20, durationSeconds: 8, weakest: 0.6 }
const FIRST_SECOND = 10

export const core = await createCore()
const applications = new Map()

/** Everything about an application that its campaigns share. */
export function applicationOf(name) {
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
    startSeconds: FIRST_SECOND + everySeconds * i,
    durationSeconds,
    intensity: weakest + (1 - weakest) * random.uniform(),
  }))
  random.dispose()
  return { name: 'singles', anomalies }
}

/** Which of the single anomalies a second belongs to; −1 before the first. */
export const singleAt = (second) => Math.floor((second - FIRST_SECOND) / SINGLE.everySeconds)

export const campaignOf = ({ app, campaign: style, seed, seconds }) => {
  const { graph } = applicationOf(app)
  return style === 'singles' ? singles(graph, seed, seconds) : generateCampaign(core, graph, { seed, seconds })
}

/** Lives that agents learn from or are tried on: so many of each application in the standard world, from a seed on. */
export const livesOf = ({ apps, seconds, first, count }) =>
  apps.flatMap((app) =>
    Array.from({ length: count }, (_, i) => ({ app, world: 'standard', campaign: 'many', seed: first + i, seconds })),
  )

/** Second by second: what was seen, ordered and done, and what really happened (`latest`). */
export async function* lifeOf(spec, makePolicy) {
  const { app, world, seed, seconds } = spec
  const application = applicationOf(app)
  const { graph } = application
  const campaign = campaignOf(spec)
  const { headroom, options } = WORLDS[world]
  const nodes = headroom ? nodesFor(graph, NODES, headroom) : []
  const simulated = new SimulatedApplication(core, graph, { campaign, nodes, seed, ...options })
  const policy = makePolicy({ ...application, campaign, simulated, seed })
  for await (const tick of mitigate({ source: simulated, actuators: simulated, policy })) {
    yield { ...tick, latest: simulated.latest }
    if (simulated.simulator.nowSeconds >= seconds + FIRST_SECOND) break
  }
  simulated.dispose()
}

// A simulated application under anomalies, and what the default controller would do, or does, about them.
import type { AnyCore } from '@trimtab/core'
import {
  type Actuators,
  byOwnQueue,
  byTraces,
  type Campaign,
  CulpritPolicy,
  createPreset,
  Explainer,
  type GraphTelemetry,
  generateCampaign,
  type Healthy,
  healthyBehaviour,
  Localiser,
  latencyMs,
  mitigate,
  nodesFor,
  type PresetName,
  parseCampaign,
  provision,
  type ServiceGraph,
  SimulatedApplication,
} from '@trimtab/tasks/microservices'
import { IncidentLog } from './incident-log.js'
import type { Incident, RunOutcome, SimulationReport } from './report-types.js'

/** A run as a call asks for it. */
export interface SimulationPlan {
  readonly preset: PresetName
  readonly seconds: number
  readonly seed: number
  readonly load: number
  /** Mean seconds from one anomaly to the next, where no campaign is given. */
  readonly everySeconds: number
  /** The text of a campaign file. */
  readonly campaign?: string | undefined
  readonly isActing: boolean
  readonly signal: AbortSignal
  readonly onProgress: (label: string, done: number, total: number) => void
}

/** As in docs/results/mitigation.md: machines are scarce, telemetry is late and noisy, orders take a moment. */
const WORLD = { lagSeconds: 1, noise: 0.05, actuationSeconds: 0.1 } as const
const [NODES, HEADROOM] = [4, 1.2]
const REPLACE_AFTER_SECONDS = 2

const RECOMMEND: Actuators = { apply: () => [] }

/** @throws {FormatError} `campaign_invalid`, {ConfigError} `config_invalid`: the campaign; what `plan.signal` says */
export async function simulateMitigation(core: AnyCore, plan: SimulationPlan): Promise<SimulationReport> {
  const { preset, seconds, seed, load, everySeconds, isActing } = plan
  const graph = provision(createPreset(core, preset), { load })
  const campaign =
    plan.campaign === undefined
      ? generateCampaign(core, graph, { seed, seconds, ratePerSecond: 1 / everySeconds })
      : parseCampaign(plan.campaign, graph)
  plan.onProgress('what is usual', 0, seconds)
  const world = { core, graph, campaign, healthy: healthyBehaviour(core, graph) }
  const without = await run(world, plan, false)
  const mitigated = isActing ? await run(world, plan, true) : undefined
  return {
    source: 'simulator',
    ...{ application: graph.name, seconds, seed, load, anomalies: campaign.anomalies.length },
    slosMs: Object.fromEntries(world.healthy.slosMs),
    incidents: (mitigated ?? without).incidents,
    withoutMitigation: without.outcome,
    ...(mitigated && { mitigated: mitigated.outcome }),
  }
}

interface World {
  readonly core: AnyCore
  readonly graph: ServiceGraph
  readonly campaign: Campaign
  readonly healthy: Healthy
}

/** The same requests and anomalies for either: they are drawn from the seed. */
async function run(
  { core, graph, campaign, healthy }: World,
  { seed, seconds, signal, onProgress }: SimulationPlan,
  isActing: boolean,
): Promise<{ readonly incidents: readonly Incident[]; readonly outcome: RunOutcome }> {
  const nodes = nodesFor(graph, NODES, HEADROOM)
  const application = new SimulatedApplication(core, graph, { campaign, nodes, seed, ...WORLD })
  const localiser = new Localiser(healthy)
  const explainer = new Explainer(healthy)
  try {
    const policy = new CulpritPolicy({
      name: 'localised',
      math: core.math,
      deployed: new Map(graph.services.map(({ name, grant }) => [name, grant])),
      namers: [byTraces(localiser), byOwnQueue],
      replaceAfterSeconds: REPLACE_AFTER_SECONDS,
    })
    const incidents: Incident[] = []
    const log = new IncidentLog({
      ...{ explainer, campaign, slosMs: healthy.slosMs },
      onIncident: (event, incident) => event === 'named' && incidents.push(incident),
    })
    const tally = new OutcomeTally(healthy.slosMs)
    const actuators = isActing ? application : RECOMMEND
    for await (const tick of mitigate({ source: application, actuators, policy, signal })) {
      log.take(tick)
      tally.take(application.latest)
      const { toSecond } = application.latest
      onProgress(isActing ? 'mitigated' : 'without mitigation', Math.min(seconds, toSecond), seconds)
      if (toSecond >= seconds) break
    }
    return { incidents, outcome: tally.outcome }
  } finally {
    application.dispose()
    localiser.dispose()
    explainer.dispose()
  }
}

/** Of what really happened, not of what telemetry shows. */
class OutcomeTally {
  readonly #slosMs: ReadonlyMap<string, number>
  #requests = 0
  #late = 0
  #failed = 0
  #broken = 0
  #seconds = 0

  constructor(slosMs: ReadonlyMap<string, number>) {
    this.#slosMs = slosMs
  }

  take({ requests }: GraphTelemetry): void {
    let isBroken = false
    for (const request of requests) {
      const sloMs = this.#slosMs.get(request.name)!
      this.#requests += request.latenciesMs.length
      this.#late += request.latenciesMs.filter((ms) => ms > sloMs).length
      this.#failed += request.timedOut + request.refused
      isBroken ||= latencyMs(request, 99) > sloMs
    }
    this.#seconds += 1
    this.#broken += isBroken ? 1 : 0
  }

  get outcome(): RunOutcome {
    const ofRequests = (count: number): number => count / Math.max(1, this.#requests)
    return {
      requests: this.#requests,
      late01: ofRequests(this.#late),
      failed01: ofRequests(this.#failed),
      brokenSeconds01: this.#broken / Math.max(1, this.#seconds),
    }
  }
}

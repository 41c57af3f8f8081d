// One way to mitigate in a world of its own: the same application, the same requests, the same anomalies as the others'.
import type { Core } from 'trimtab/core'
import {
  AimdEverywhere,
  byOwnQueue,
  byTraces,
  type Campaign,
  CulpritPolicy,
  type GraphTelemetry,
  type Healthy,
  Localiser,
  latencyMs,
  type MitigationPolicy,
  type MitigationTick,
  mitigate,
  NO_MITIGATION,
  nodesFor,
  RESOURCES,
  type ServiceGraph,
  SimulatedApplication,
  type vectorOf,
} from 'trimtab/tasks/microservices'
import type { LiveController } from '../run/controllers.js'
import type { WorldName } from './protocol.js'

const REPLACE_AFTER_SECONDS = 2
const AIMD = { increase: 0.25, decrease: 0.9 }
const MACHINES = 4
const STANDARD = { lagSeconds: 1, noise: 0.05, actuationSeconds: 0.1 }
const HEADROOM = 1.2

export interface Stage {
  readonly core: Core
  readonly graph: ServiceGraph
  readonly campaign: Campaign
  readonly healthy: Healthy
  readonly world: WorldName
  readonly seed: number
}

export type ContestantName = 'none' | 'aimd' | 'trimtab'

export const CONTESTANTS: readonly (LiveController & { readonly name: ContestantName })[] = [
  { name: 'none', label: 'no control', kind: 'bound' },
  { name: 'aimd', label: 'AIMD on all limits', kind: 'rule' },
  { name: 'trimtab', label: 'FIRM’s loop', kind: 'learner' },
]

export class Contestant {
  readonly application: SimulatedApplication
  readonly #loop: AsyncGenerator<MitigationTick, never, void>
  readonly #localiser: Localiser
  readonly #slosMs: ReadonlyMap<string, number>
  readonly #deployed: ReadonlyMap<string, readonly number[]>
  readonly #tally = { ended: 0, late: 0, failed: 0, seconds: 0, broken: 0, granted: 0 }

  constructor(name: ContestantName, { core, graph, campaign, healthy, world, seed }: Stage) {
    const machines = world === 'standard' ? { nodes: nodesFor(graph, MACHINES, HEADROOM), ...STANDARD } : {}
    this.application = new SimulatedApplication(core, graph, { campaign, seed, ...machines })
    this.#localiser = new Localiser(healthy)
    this.#slosMs = healthy.slosMs
    const grants = new Map(graph.services.map(({ name: service, grant }) => [service, grant]))
    this.#deployed = new Map([...grants].map(([service, grant]) => [service, RESOURCES.map((one) => grant[one])]))
    const policies: Readonly<Record<ContestantName, () => MitigationPolicy>> = {
      none: () => NO_MITIGATION,
      aimd: () => new AimdEverywhere(grants, { slosMs: healthy.slosMs, ...AIMD }),
      trimtab: () =>
        new CulpritPolicy({
          ...{ name: 'firm', math: core.math, deployed: grants },
          namers: [byTraces(this.#localiser), byOwnQueue],
          replaceAfterSeconds: REPLACE_AFTER_SECONDS,
        }),
    }
    this.#loop = mitigate({ source: this.application, actuators: this.application, policy: policies[name]() })
  }

  /** Lives a second on. @returns what its policy saw and ordered, and what really happened */
  async live(): Promise<{ readonly tick: MitigationTick; readonly now: SecondFigures }> {
    const { value: tick } = await this.#loop.next()
    return { tick, now: this.#judge(this.application.latest) }
  }

  #judge({ requests, instances }: GraphTelemetry): SecondFigures {
    const tally = this.#tally
    for (const { name, latenciesMs, timedOut, refused } of requests) {
      const sloMs = this.#slosMs.get(name)!
      tally.ended += latenciesMs.length
      tally.late += latenciesMs.filter((ms) => ms > sloMs).length
      tally.failed += timedOut + refused
    }
    const p99OverSlo = Math.max(...requests.map((request) => latencyMs(request, 99) / this.#slosMs.get(request.name)!))
    const serving = instances.filter(({ state, open }) => state !== 'leaving' || open > 0)
    const granted = serving.map(({ service, grant }) => this.#timesDeployed(service, grant))
    const mean = granted.reduce((sum, times) => sum + times, 0) / granted.length
    tally.seconds++
    tally.granted += mean
    if (p99OverSlo > 1) tally.broken++
    return { p99OverSlo, granted: mean, latePercent: (100 * tally.late) / Math.max(1, tally.ended) }
  }

  /** What a replica is granted over what was deployed, mean of the resources. */
  #timesDeployed(service: string, grant: ReturnType<typeof vectorOf>): number {
    const deployed = this.#deployed.get(service)!
    return RESOURCES.reduce((sum, one, r) => sum + grant[one] / deployed[r]!, 0) / RESOURCES.length
  }

  /** Services with a replica that is granted more than was deployed. */
  raised(): Set<string> {
    const { instances } = this.application.latest
    return new Set(
      instances.flatMap(({ service, grant }) => (this.#timesDeployed(service, grant) > 1.01 ? [service] : [])),
    )
  }

  /** Late, seconds with a broken SLO and failed in %, and what was granted. */
  cells(): string[] {
    const { ended, late, failed, seconds, broken, granted } = this.#tally
    const percent = (count: number, of: number): string => `${((100 * count) / Math.max(1, of)).toFixed(2)} %`
    return [
      percent(late, ended),
      percent(broken, seconds),
      percent(failed, ended),
      `${(granted / seconds).toFixed(2)} ×`,
    ]
  }

  dispose(): void {
    this.application.dispose()
    this.#localiser.dispose()
  }
}

export interface SecondFigures {
  readonly p99OverSlo: number
  readonly granted: number
  readonly latePercent: number
}

// One application under one campaign of anomalies, mitigated in three ways at once, second by second.
import { createCore } from 'trimtab/core'
import {
  ANOMALY_KINDS,
  type Campaign,
  createPreset,
  generateCampaign,
  healthyBehaviour,
  levelAt,
  type MitigationTick,
  type Order,
  provision,
} from 'trimtab/tasks/microservices'
import { createTraceCoreSync, PathFinder, type Trace } from 'trimtab/trace'
import { CONTESTANTS, Contestant } from './contestant.js'
import { layoutOf } from './layout.js'
import type { GraphMoment, MitigationEvent, MitigationOptions } from './protocol.js'

const LOAD = 1.6 // times the presets', as in docs/results/mitigation.md
const MOST_DEEDS = 4 // told of a second

export async function* simulateMitigation(options: MitigationOptions): AsyncGenerator<MitigationEvent, void> {
  const { application, world, kind, seconds, seed } = options
  const core = await createCore()
  const graph = provision(createPreset(core, application), { load: LOAD })
  yield { type: 'note', text: 'computing: what is usual when nothing is wrong' }
  const healthy = healthyBehaviour(core, graph)
  const campaign = generateCampaign(core, graph, { seed, seconds, kinds: kind === 'all' ? ANOMALY_KINDS : [kind] })
  const contestants = CONTESTANTS.map(
    ({ name }) => new Contestant(name, { core, graph, campaign, healthy, world, seed }),
  )
  const finder = new PathFinder(createTraceCoreSync())
  const layout = layoutOf(graph)
  const numbers = new Map(graph.services.map(({ name }, i) => [name, i]))
  const named = { all: 0, right: 0 }
  yield { type: 'start', controllers: CONTESTANTS, seconds, ...layout }

  for (let second = 1; second <= seconds; second++) {
    const lived = await Promise.all(contestants.map((one) => one.live()))
    const { window, orders } = lived.at(-1)!.tick
    const culprits = [
      ...new Set(orders.flatMap((order) => (typeof order.because === 'object' ? [order.because.service] : []))),
    ]
    const from = window.telemetry.fromSecond
    const faulty = new Set(active(campaign, from, window.telemetry.toSecond).map(({ service }) => service))
    named.all += culprits.length
    named.right += culprits.filter((service) => faulty.has(service)).length
    const graphMoment: GraphMoment = {
      anomalies: active(campaign, from, window.telemetry.toSecond).map(({ service, anomaly }) => ({
        ...{ service: numbers.get(service)!, kind: anomaly.kind },
        level01: levelAt(core.math, anomaly, from),
      })),
      path: pathOf(finder, window.traces).map(([service, share01]) => ({ service: numbers.get(service)!, share01 })),
      culprits: culprits.map((service) => numbers.get(service)!),
      raised: [...contestants.at(-1)!.raised()].map((service) => numbers.get(service)!),
    }
    yield {
      type: 'step',
      second,
      p99OverSlo: lived.map(({ now }) => Math.max(0.01, now.p99OverSlo)),
      granted: lived.map(({ now }) => now.granted),
      latePercent: lived.map(({ now }) => now.latePercent),
      graph: graphMoment,
      deeds: deedsOf(lived.at(-1)!.tick),
    }
  }
  const rows = contestants.map((one, i) => ({ controller: CONTESTANTS[i]!, cells: one.cells() }))
  for (const one of contestants) one.dispose()
  finder.dispose()
  yield {
    type: 'done',
    table: { heads: ['late requests', 'seconds over SLO', 'failed', 'granted'], rows },
    findings: [
      `${campaign.anomalies.length} anomalies; traces named a service ${named.all} times, ${named.right} times one that an anomaly was acting on.`,
    ],
  }
}

/** Anomalies that act within a window, each with its service. */
function active(campaign: Campaign, fromSecond: number, toSecond: number) {
  return campaign.anomalies.flatMap((anomaly) => {
    const { target, startSeconds, durationSeconds } = anomaly
    const acts = startSeconds < toSecond && startSeconds + durationSeconds > fromSecond
    return acts && 'service' in target ? [{ service: target.service, anomaly }] : []
  })
}

/** Services on the critical path of the slowest request, with their shares of its latency; nothing without requests. */
function pathOf(finder: PathFinder, traces: readonly Trace[]): [string, number][] {
  const lasts = ({ startNs, endNs, root }: Trace): number => endNs[root]! - startNs[root]!
  const [first, ...others] = traces
  if (!first) return []
  const path = finder.find(others.reduce((slowest, one) => (lasts(one) > lasts(slowest) ? one : slowest), first))
  const shares = new Map<string, number>()
  for (let s = 0; s < path.size; s++) {
    const service = path.trace.names.text(path.trace.service[path.row[s]!]!)
    shares.set(service, (shares.get(service) ?? 0) + (path.endNs[s]! - path.startNs[s]!) / path.latencyNs)
  }
  return [...shares]
}

const deedsOf = ({ orders }: MitigationTick): string[] =>
  orders
    .filter(({ because }) => because !== 'calm')
    .slice(0, MOST_DEEDS)
    .map(wordsOf)

function wordsOf(order: Order): string {
  const { because } = order
  const why =
    typeof because === 'object'
      ? `${Math.round(100 * because.addedShare)} % of the delay of ${because.request}`
      : 'its own queue'
  switch (order.kind) {
    case 'limits':
      return `raise ${order.instance}: ${why}`
    case 'replace':
      return `replace ${order.instance}: still ${why}`
    default:
      return `scale ${order.service} to ${order.replicas}`
  }
}

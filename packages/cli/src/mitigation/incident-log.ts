import {
  busiestResource,
  type Campaign,
  type Explainer,
  latencyMs,
  type MitigationTick,
  type Order,
  type OrderOutcome,
  RESOURCES,
  type ResourceVector,
} from '@trimtab/tasks/microservices'
import type { Incident, ShortGrant, Step } from './report-types.js'

const FORGIVEN_SECONDS = 3 // unnamed: what comes then is another incident

const BEST_LAST: readonly Step['done'][] = ['proposed', 'nothing', 'part', 'whole']

type Draft = { -readonly [K in keyof Incident]: Incident[K] } & { readonly steps: Step[] }

/** How incidents are explained, and who hears of them. */
export interface IncidentLogOptions {
  readonly explainer: Explainer
  readonly slosMs: ReadonlyMap<string, number>
  /** What really goes wrong, where somebody knows. */
  readonly campaign?: Campaign
  /** Told of an instance when it is named first, and again once it is named no more, or at the end. What it is told of grows in between. */
  readonly onIncident: (event: 'named' | 'over', incident: Incident) => void
}

/** Makes incidents of the orders of a run: an instance that is named window after window is one. */
export class IncidentLog {
  readonly #options: IncidentLogOptions
  readonly #open = new Map<string, Draft>()

  constructor(options: IncidentLogOptions) {
    this.#options = options
  }

  take(tick: MitigationTick): void {
    for (const order of tick.orders) this.#note(order, tick)
    for (const outcome of tick.outcomes) this.#noteOutcome(outcome) // of these orders, or of those before
    this.#close(tick)
  }

  /** The run is over, and with it what is not over yet. */
  end(): void {
    for (const incident of this.#open.values()) this.#options.onIncident('over', incident)
    this.#open.clear()
  }

  /** An order is given again in each window; the best that became of it counts. */
  #noteOutcome({ order, done, reason, granted }: OrderOutcome): void {
    const steps = order.kind === 'scale' ? undefined : this.#open.get(order.instance)?.steps
    const at = steps?.findIndex(({ kind }) => kind === order.kind) ?? -1
    if (!steps || at < 0 || BEST_LAST.indexOf(done) <= BEST_LAST.indexOf(steps[at]!.done)) return
    const { second, kind } = steps[at]!
    const short = granted && order.kind === 'limits' ? shortOf(order.grant, granted) : undefined
    steps[at] = { second, kind, done, ...(reason !== undefined && { reason }), ...(short && { short }) }
  }

  #note(order: Order, { window }: MitigationTick): void {
    const { because } = order
    if (order.kind === 'scale' || (because !== 'queue' && typeof because !== 'object')) return
    const { toSecond } = window.telemetry
    const now = window.telemetry.instances.find(({ name }) => name === order.instance)!
    const known = this.#open.get(order.instance)
    const incident: Draft = known ?? {
      ...{ instance: now.name, service: now.service, because, busiest: busiestResource(now) },
      ...{ fromSecond: toSecond, untilSecond: toSecond, steps: [] },
    }
    this.#open.set(order.instance, incident)
    incident.untilSecond = toSecond
    const { campaign, explainer, onIncident } = this.#options
    if (campaign) incident.injected = injectedAt(incident, campaign)
    if (!incident.steps.some(({ kind }) => kind === order.kind))
      incident.steps.push({ second: toSecond, kind: order.kind, done: 'proposed' })
    if (typeof because === 'object' && !incident.account) {
      incident.because = because
      incident.account = explainer.explain(window, because)
    }
    if (!known) onIncident('named', incident)
  }

  #close({ window: { telemetry } }: MitigationTick): void {
    for (const [instance, incident] of this.#open) {
      if (telemetry.toSecond - incident.untilSecond < FORGIVEN_SECONDS) continue
      this.#open.delete(instance)
      const { because } = incident
      if (because !== 'queue') {
        const request = telemetry.requests.find(({ name }) => name === because.request)!
        incident.p99OverSloAfter = latencyMs(request, 99) / this.#options.slosMs.get(because.request)!
      }
      this.#options.onIncident('over', incident)
    }
  }
}

function injectedAt({ instance, service, fromSecond, untilSecond }: Incident, { anomalies }: Campaign): string[] {
  const kinds = anomalies.flatMap(({ kind, target, startSeconds, durationSeconds }) => {
    const isThere =
      'service' in target &&
      target.service === service &&
      (target.replica === undefined || `${service}-${target.replica}` === instance)
    const isThen = startSeconds <= untilSecond && startSeconds + durationSeconds >= fromSecond - 1
    return isThere && isThen ? [kind] : []
  })
  return [...new Set(kinds)]
}

const shortOf = (asked: ResourceVector, granted: Partial<ResourceVector>): ShortGrant[] =>
  RESOURCES.flatMap((resource) => {
    const amount = granted[resource]
    return amount === undefined ? [] : [{ resource, asked: asked[resource], granted: amount }]
  })

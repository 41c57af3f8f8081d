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

/** Makes incidents of the orders of a run: an instance that is named window after window is one. */
export class IncidentLog {
  readonly incidents: Incident[] = []
  readonly #explainer: Explainer
  readonly #campaign: Campaign
  readonly #slosMs: ReadonlyMap<string, number>
  readonly #open = new Map<string, Draft>()

  constructor(explainer: Explainer, campaign: Campaign, slosMs: ReadonlyMap<string, number>) {
    this.#explainer = explainer
    this.#campaign = campaign
    this.#slosMs = slosMs
  }

  take(tick: MitigationTick): void {
    for (const outcome of tick.outcomes) this.#noteOutcome(outcome)
    for (const order of tick.orders) this.#note(order, tick)
    this.#close(tick)
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
    let incident = this.#open.get(order.instance)
    if (!incident) {
      incident = {
        ...{ instance: now.name, service: now.service, because, busiest: busiestResource(now) },
        ...{ fromSecond: toSecond, untilSecond: toSecond, steps: [], injected: [] },
      }
      this.#open.set(order.instance, incident)
      this.incidents.push(incident)
    }
    incident.untilSecond = toSecond
    incident.injected = this.#injectedAt(incident)
    if (!incident.steps.some(({ kind }) => kind === order.kind))
      incident.steps.push({ second: toSecond, kind: order.kind, done: 'proposed' })
    if (typeof because === 'object' && !incident.account) {
      incident.because = because
      incident.account = this.#explainer.explain(window, because)
    }
  }

  #close({ window: { telemetry } }: MitigationTick): void {
    for (const [instance, incident] of this.#open) {
      if (telemetry.toSecond - incident.untilSecond < FORGIVEN_SECONDS) continue
      this.#open.delete(instance)
      const { because } = incident
      if (because === 'queue') continue
      const request = telemetry.requests.find(({ name }) => name === because.request)!
      incident.p99OverSloAfter = latencyMs(request, 99) / this.#slosMs.get(because.request)!
    }
  }

  #injectedAt({ instance, service, fromSecond, untilSecond }: Incident): string[] {
    const kinds = this.#campaign.anomalies.flatMap(({ kind, target, startSeconds, durationSeconds }) => {
      const isThere =
        'service' in target &&
        target.service === service &&
        (target.replica === undefined || `${service}-${target.replica}` === instance)
      const isThen = startSeconds <= untilSecond && startSeconds + durationSeconds >= fromSecond - 1
      return isThere && isThen ? [kind] : []
    })
    return [...new Set(kinds)]
  }
}

const shortOf = (asked: ResourceVector, granted: Partial<ResourceVector>): ShortGrant[] =>
  RESOURCES.flatMap((resource) => {
    const amount = granted[resource]
    return amount === undefined ? [] : [{ resource, asked: asked[resource], granted: amount }]
  })

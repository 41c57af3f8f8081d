import {
  hasCode,
  type KubernetesError,
  type KubernetesObject,
  MULTIDIM_POD_AUTOSCALERS,
  type MultidimPodAutoscaler,
  type ObjectRef,
  resource,
} from '@trimtab/kubernetes'
import type { OperatorContext } from './context.js'
import { nameOf, type OperatorPart } from './names.js'

/** What happened to an autoscaler, or did not. */
export interface OperatorEvent {
  readonly type: 'Normal' | 'Warning'
  /** One word, as `Scaled`. */
  readonly reason: string
  /** A sentence. */
  readonly message: string
}

/** An event as the API has it (core/v1): repeated ones are one object with a count. */
export interface EventObject extends KubernetesObject, OperatorEvent {
  readonly involvedObject: ObjectRef & { readonly kind: string; readonly apiVersion: string; readonly uid?: string }
  readonly count: number
  readonly firstTimestamp: string
  readonly lastTimestamp: string
  readonly source: { readonly component: string }
  readonly reportingComponent: string
}

const EVENTS = resource<EventObject>('v1', 'Event', 'events')

const SERIES_MS = 10 * 60_000
// As client-go: so many different events of one object at once, then one every five minutes.
const BURST = 25
const REFILL_MS = 5 * 60_000

/** The same words about the same object, again and again. */
interface Series {
  readonly autoscaler: MultidimPodAutoscaler
  readonly event: OperatorEvent
  readonly firstMs: number
  lastMs: number
  count: number
  isWritten: boolean
  name: string | undefined
}

interface Allowance {
  left: number
  atMs: number
}

/**
 * Events of autoscalers, for `kubectl describe`. `record` only takes note, `flush` writes; neither ever throws: what could not be written for
 * want of a server is written by the next flush, for as long as it is news.
 */
export class Events {
  readonly #context: OperatorContext
  readonly #component: string
  readonly #series = new Map<string, Series>()
  readonly #allowances = new Map<string, Allowance>()

  /** @param part  in whose name */
  constructor(context: OperatorContext, part: OperatorPart) {
    this.#context = context
    this.#component = nameOf(part)
  }

  /** The same words within ten minutes are counted; beyond 25 different ones, an object has one every five minutes. */
  record(autoscaler: MultidimPodAutoscaler, { type, reason, message }: OperatorEvent): void {
    const now = this.#context.clock.now()
    const key = JSON.stringify([autoscaler.metadata?.uid, type, reason, message])
    const series = this.#series.get(key)
    if (series !== undefined && Math.abs(now - series.lastMs) <= SERIES_MS) {
      Object.assign(series, { lastMs: now, count: series.count + 1, isWritten: false })
    } else if (this.#isAllowed(autoscaler, now)) {
      const event = { type, reason, message }
      const fresh = { autoscaler, event, firstMs: now, lastMs: now, count: 1, isWritten: false, name: undefined }
      this.#series.set(key, fresh)
    }
  }

  /** Writes what is not written yet. */
  async flush(signal: AbortSignal): Promise<void> {
    this.#forget(this.#context.clock.now()) // here, not in each record: it looks at all
    for (const [key, series] of this.#series) {
      if (series.isWritten || signal.aborted) continue
      series.isWritten = true // what is recorded from here on is for the next flush
      try {
        await this.#write(series, signal)
      } catch (error) {
        if (signal.aborted) return
        const { httpStatus = 0, message } = error as KubernetesError
        const isRefused = httpStatus >= 400 && httpStatus < 500 && httpStatus !== 429
        this.#context.logger?.warn('an event was not written', { reason: series.event.reason, error: message })
        if (isRefused)
          this.#series.delete(key) // its namespace is going, or it may not be written at all
        else series.isWritten = false
        if (!isRefused) return // the server is away or busy: the rest would fare no better
      }
    }
  }

  async #write(series: Series, signal: AbortSignal): Promise<void> {
    const { namespace = '', name: of = '' } = series.autoscaler.metadata ?? {}
    const options = { fieldManager: this.#component, signal }
    const { client } = this.#context
    if (series.name !== undefined) {
      const patch = { count: series.count, lastTimestamp: timestamp(series.lastMs) }
      try {
        await client.merge(EVENTS, { namespace, name: series.name }, patch, options)
        return
      } catch (error) {
        if (!hasCode(error, 'api_not_found')) throw error
        // the server has let it go, as it does with events: made anew
      }
    }
    const metadata = { namespace, generateName: `${of}.` }
    const made = await client.create(EVENTS, { metadata, ...this.#body(series) } as EventObject, options)
    series.name = made.metadata!.name!
  }

  #body({ autoscaler, event, firstMs, lastMs, count }: Series): Omit<EventObject, keyof KubernetesObject> {
    const { namespace, name, uid } = autoscaler.metadata as ObjectRef & { uid: string }
    const { apiVersion, kind } = MULTIDIM_POD_AUTOSCALERS
    return {
      ...event,
      involvedObject: { apiVersion, kind, name, uid, ...(namespace === undefined ? {} : { namespace }) },
      count,
      firstTimestamp: timestamp(firstMs),
      lastTimestamp: timestamp(lastMs),
      source: { component: this.#component },
      reportingComponent: this.#component,
    }
  }

  #isAllowed({ metadata }: MultidimPodAutoscaler, now: number): boolean {
    const key = metadata?.uid ?? ''
    const { left, atMs } = this.#allowances.get(key) ?? { left: BURST, atMs: now }
    const refilled = Math.min(BURST, left + Math.max(0, now - atMs) / REFILL_MS)
    this.#allowances.set(key, { left: refilled >= 1 ? refilled - 1 : refilled, atMs: now })
    return refilled >= 1
  }

  #forget(now: number): void {
    for (const [key, { lastMs }] of this.#series) if (Math.abs(now - lastMs) > SERIES_MS) this.#series.delete(key)
    for (const [key, { atMs }] of this.#allowances)
      if (Math.abs(now - atMs) > BURST * REFILL_MS) this.#allowances.delete(key) // as full as a new one
  }
}

/** Whole seconds, as times in objects are. */
const timestamp = (ms: number): string => new Date(Math.floor(ms / 1000) * 1000).toISOString().replace('.000Z', 'Z')

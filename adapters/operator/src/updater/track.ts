import type { AutoscalerStatus } from '@trimtab/kubernetes'
import { readSizes, type Sizes, writeSizes } from '../sizes.js'
import type { Workload } from './workload.js'

const HOUR_MS = 3_600_000

/**
 * What is remembered of one autoscaler from pass to pass. What must outlive this leader stands in the status too (`carriedOut`); intervals
 * are measured by our own clock, from what we saw.
 */
export class Track {
  /** What new pods request. */
  containers: Sizes | undefined
  /** The last sizes with which all pods were ready. */
  working: Sizes | undefined
  /** Sizes that no pod could have. */
  refused: Sizes | undefined
  /** Pods that were evicted; the copy of the cluster may still show them. */
  readonly leaving: Set<string> = new Set()
  /** Whether this workload's containers cannot be resized in place. */
  mustEvict = false
  /** When pods were last evicted for the present sizes. */
  evictedAtMs: number | undefined
  /** How often the replicas were changed back within an hour. */
  reversals = 0
  #decision: string | undefined
  #decidedAtMs: number | undefined
  readonly #cameAtMs: number
  #isFirstLook = true
  #replicas: number | undefined
  #alive: ReadonlySet<string> = new Set()
  #steadySinceMs: number
  #brokenSinceMs: number | undefined
  #lastMove: { readonly direction: number; readonly atMs: number } | undefined
  #changesMs: readonly number[]
  /** Of sizes that follow the load: these do not count. */
  #followedAtMs: number | undefined
  readonly #since = new Map<string, number>()

  /** @param status  what the leader before left behind */
  constructor({ carriedOut = {} }: AutoscalerStatus, nowMs: number) {
    this.containers = readSizes(carriedOut.containers)
    this.working = readSizes(carriedOut.working)
    this.refused = readSizes(carriedOut.refused)
    this.#changesMs = (carriedOut.changes ?? []).map(Date.parse).filter(Number.isFinite)
    this.#steadySinceMs = nowMs
    this.#cameAtMs = nowMs
  }

  /** For how long we have looked. */
  watchedForMs(nowMs: number): number {
    return nowMs - this.#cameAtMs
  }

  /** A decision, by the time written in it. */
  seeDecision(time: string | undefined, nowMs: number): void {
    if (time !== this.#decision && !this.#isFirstLook) this.#decidedAtMs = nowMs
    this.#decision = time
    this.#isFirstLook = false
  }

  /** Since we saw the last decision made; undefined: we have seen none made. */
  decisionAgeMs(nowMs: number): number | undefined {
    return this.#decidedAtMs === undefined ? undefined : nowMs - this.#decidedAtMs
  }

  /** The workload as it is now. */
  seeWorkload({ replicas, isWhole, live, unready }: Workload, present: ReadonlySet<string>, nowMs: number): void {
    const uids = (pods: Workload['live']) => pods.map(({ metadata }) => metadata?.uid ?? '')
    const [alive, broken] = [new Set(uids(live)), new Set(uids(unready))]
    const isSame =
      replicas === this.#replicas && alive.size === this.#alive.size && [...alive].every((uid) => this.#alive.has(uid))
    if (!isSame || !isWhole) this.#steadySinceMs = nowMs
    if (isWhole) this.#brokenSinceMs = undefined
    else if (this.#brokenSinceMs === undefined || replicas !== this.#replicas) this.#brokenSinceMs = nowMs
    this.#replicas = replicas
    this.#alive = alive
    for (const uid of this.leaving) if (!present.has(uid)) this.leaving.delete(uid)
    for (const key of this.#since.keys()) {
      const [uid, state] = key.split(' ') as [string, string]
      if (!alive.has(uid) || (state === 'unready' && !broken.has(uid))) this.#since.delete(key)
    }
    for (const uid of alive) this.sinceMs(uid, 'live', nowMs)
    for (const uid of broken) this.sinceMs(uid, 'unready', nowMs)
  }

  /** For how long there have been the same pods, as many as wanted and all of them ready. */
  steadyForMs(nowMs: number): number {
    return nowMs - this.#steadySinceMs
  }

  /** For how long pods have been missing or not ready. */
  brokenForMs(nowMs: number): number {
    return this.#brokenSinceMs === undefined ? 0 : nowMs - this.#brokenSinceMs
  }

  /** Since when we have seen a pod in a state, asked for in every pass. */
  sinceMs(uid: string, state: string, nowMs: number): number {
    const key = `${uid} ${state}`
    const since = this.#since.get(key) ?? nowMs
    this.#since.set(key, since)
    return since
  }

  /** Whether replicas would go back where they came from, so soon that it must be noise. */
  isTooSoonToTurn(direction: number, leastMs: number, nowMs: number): boolean {
    const last = this.#lastMove
    return last !== undefined && last.direction !== direction && nowMs - last.atMs < leastMs
  }

  /** Replicas were set. */
  noteMove(direction: number, nowMs: number): void {
    const last = this.#lastMove
    if (last !== undefined && last.direction !== direction && nowMs - last.atMs < HOUR_MS) this.reversals++
    this.#lastMove = { direction, atMs: nowMs }
    this.noteChange(nowMs)
  }

  /** Replicas or sizes were changed. */
  noteChange(nowMs: number): void {
    this.#changesMs = [...this.#changesOfHour(nowMs), nowMs]
  }

  /** Changes within the last hour. */
  changesWithinHour(nowMs: number): number {
    return this.#changesOfHour(nowMs).length
  }

  /** When something was last changed, ms since 1970. */
  get lastChangeMs(): number | undefined {
    const last = Math.max(this.#changesMs.at(-1) ?? 0, this.#followedAtMs ?? 0)
    return last > 0 ? last : undefined
  }

  /** From now on pods are to have other sizes. @param counts  as a change of this hour */
  setSizes(
    sizes: { readonly containers: Sizes; readonly working: Sizes; readonly refused: Sizes | undefined },
    nowMs: number,
    counts = true,
  ): void {
    Object.assign(this, sizes, { mustEvict: false, evictedAtMs: undefined })
    if (counts) this.noteChange(nowMs)
    else this.#followedAtMs = nowMs
  }

  /** For the status. Changes that are over are kept until the next one: time alone is no reason to write. */
  toStatus(): NonNullable<AutoscalerStatus['carriedOut']> {
    return {
      ...(this.containers === undefined ? {} : { containers: writeSizes(this.containers) }),
      ...(this.working === undefined ? {} : { working: writeSizes(this.working) }),
      ...(this.refused === undefined ? {} : { refused: writeSizes(this.refused) }),
      ...(this.#changesMs.length === 0 ? {} : { changes: this.#changesMs.map((ms) => new Date(ms).toISOString()) }),
    }
  }

  #changesOfHour(nowMs: number): number[] {
    return this.#changesMs.filter((ms) => nowMs - ms < HOUR_MS)
  }
}

import process from 'node:process'
import type { TenantDecider } from '@trimtab/openwhisk'
import type { PlannedRequest } from '../load/arrivals.js'
import { type RequestOutcome, sendLoad } from '../load/load-generator.js'
import { type LocalFunction, LocalServing } from '../local-serving.js'
import { quantileOf } from '../quantile.js'

/** A way to scale functions that is measured beside others. */
export interface Arm {
  readonly name: string
  /** Who decides, afresh at the start of each block. */
  readonly createDecider: () => Promise<TenantDecider>
}

/** What is served and asked in a block. */
export interface BlockSetup {
  readonly functions: readonly LocalFunction[]
  readonly requests: readonly PlannedRequest[]
  readonly stepSeconds: number
  readonly memoryMiB?: number
}

/** What one arm did with one load: latencies as callers saw them, and what it cost. */
export interface BlockResult {
  readonly arm: string
  /** 0 the first. */
  readonly round: number
  readonly requests: number
  readonly failures: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Requests that had to wait for a container's start. */
  readonly coldRequests: number
  /** Containers that were started, whoever waited. */
  readonly started: number
  readonly containerSeconds: number
  readonly cpuSeconds: number
  /** Of all decisions for a function, how many another took than the arm's own; 0 … 1. */
  readonly fallbacks01: number
  /** Of the generator: by how much requests went out late, 99 % of them at most. */
  readonly lagP99Ms: number
}

/** How a block is watched and stopped. */
export interface BlockHooks {
  /** Told how many requests have an answer. */
  readonly onProgress: (done: number) => void
  readonly signal: AbortSignal
}

// Root's generator has a priority of its own; else containers are nicer, so that it sends while functions burn.
const NICENESS = process.getuid?.() === 0 ? 0 : 5

/** Serves a load by one arm, from no container at all, and takes everything down again. */
export async function runBlock(
  { name, createDecider }: Arm,
  round: number,
  { functions, requests, stepSeconds, memoryMiB }: BlockSetup,
  { onProgress, signal }: BlockHooks,
): Promise<BlockResult> {
  let fault: Error | undefined
  const decider = await createDecider()
  const decisions = { all: 0, fallbacks: 0 }
  const serving = await LocalServing.start({
    ...{ functions, decider, stepSeconds, niceness: NICENESS },
    ...(memoryMiB !== undefined && { memoryMiB }),
    onTick: ({ telemetry, fallbacks }) => {
      decisions.all += telemetry.size
      decisions.fallbacks += fallbacks.size
    },
    onError: (error) => {
      fault = error
    },
  })
  try {
    const { url, uuid, key } = serving
    const outcomes = await sendLoad(requests, { url, uuid, key, onProgress, signal })
    if (fault) throw fault
    const totals = [...serving.platform.pools.values()].map((pool) => pool.totals)
    const sum = (of: (one: (typeof totals)[number]) => number) => totals.reduce((all, one) => all + of(one), 0)
    return {
      ...{ arm: name, round, ...seenFromOutside(outcomes) },
      started: sum(({ started }) => started),
      containerSeconds: sum(({ containerSeconds }) => containerSeconds),
      cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
      fallbacks01: decisions.fallbacks / Math.max(1, decisions.all),
    }
  } finally {
    await serving.dispose()
    decider.dispose?.()
  }
}

/** A request that failed counts with the time that its caller waited for nothing. */
function seenFromOutside(outcomes: readonly RequestOutcome[]) {
  const latenciesMs = outcomes.map(({ latencyMs }) => latencyMs)
  return {
    requests: outcomes.length,
    failures: outcomes.filter(({ isOk }) => !isOk).length,
    p50Ms: quantileOf(latenciesMs, 0.5),
    p99Ms: quantileOf(latenciesMs, 0.99),
    coldRequests: outcomes.filter(({ initTimeMs }) => initTimeMs !== undefined).length,
    lagP99Ms: quantileOf(
      outcomes.map(({ lagMs }) => lagMs),
      0.99,
    ),
  }
}

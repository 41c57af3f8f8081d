import { type AnyCore, Problems, Random } from '@trimtab/core'
import { type Anomaly, type Campaign, checkCampaign, levelAt } from '@trimtab/tasks/microservices'
import type { Disturbance, DisturbanceTotals } from './disturbance.js'
import type { EdgeProxy } from './edge-proxy.js'
import { NetworkDisturbance } from './network.js'
import { type StressKind, Stressor } from './stressor.js'
import { Surge, type SurgeTarget } from './surge.js'

/** A service that may be disturbed, and by what. */
export interface InjectionTarget {
  readonly service: string
  /**
   * Its processes, looked up when an anomaly begins; `cgroups`: files `cgroup.procs` of the groups that limit it, which stressors of a kind
   * join, so that what they use up counts against its limits.
   */
  readonly replicas: readonly {
    readonly pid: number
    readonly cgroups?: Readonly<Partial<Record<StressKind, readonly string[]>>>
  }[]
  /** All ways to it: network-delay and network-bandwidth need them. */
  readonly proxies?: readonly EdgeProxy[]
  /** On the disk that it writes to: disk-io needs it. */
  readonly folder?: string
  /** Where a surge calls it: workload needs it. */
  readonly surge?: SurgeTarget
}

/** What an injector can reach. */
export interface InjectionWorld {
  readonly targets: readonly InjectionTarget[]
  /** Types of requests that a surge may send to the front door. */
  readonly requests?: Readonly<Record<string, SurgeTarget>>
}

/** What is done, to whom, and until when. */
export interface InjectionOptions {
  readonly campaign: Campaign
  readonly world: InjectionWorld
  readonly core: AnyCore
  /** Of the delays that are drawn; default 0. */
  readonly seed?: number
  readonly signal?: AbortSignal
  /** Told of each second as it is measured. @param index  of the campaign's anomaly */
  readonly onSecond?: (index: number, second: InjectedSecond) => void
}

/** One second, or the rest of one, of an anomaly: what it was to do and what its sensors say it did. */
export interface InjectedSecond {
  /** Its end, in seconds since the campaign began. */
  readonly at: number
  readonly level: number
  readonly measured: DisturbanceTotals
}

/** What really happened, for the file of ground truth: `JSON.stringify` it. */
export interface InjectionTruth {
  readonly format: 'trimtab-injection/1'
  readonly name: string
  readonly startedUnixMs: number
  readonly anomalies: readonly (Anomaly & { readonly seconds: readonly InjectedSecond[] })[]
}

const TICK_MS = 100
const LEAD_SECONDS = 2 // a stressor is a process, which has to start

/**
 * Disturbs real processes as a campaign says: the same file that the simulator runs. Whatever ends it, everything is undone: stressors end
 * with this process, also when that is killed, and proxies pass bytes as they come.
 *
 * @returns when the campaign is over or the signal is given: what was really done until then
 * @throws {ConfigError} `config_invalid`, before anything is disturbed; {AdapterError} `stressor_failed`
 */
export async function inject(options: InjectionOptions): Promise<InjectionTruth> {
  const { campaign, world, core, seed = 0, signal, onSecond = () => {} } = options
  checkCampaign(campaign)
  checkReach(campaign, world)
  const random = new Random(core, seed)
  const startedUnixMs = Date.now()
  const startedAt = performance.now()
  const now = (): number => (performance.now() - startedAt) / 1000
  const running = campaign.anomalies.map(
    (anomaly, index) => new RunningAnomaly(anomaly, world, random, (second) => onSecond(index, second)),
  )
  const end = Math.max(
    0,
    ...campaign.anomalies.map(({ startSeconds, durationSeconds }) => startSeconds + durationSeconds),
  )
  try {
    while (now() < end && !signal?.aborted) {
      for (const each of running) each.follow(now(), (anomaly) => levelAt(core.math, anomaly, now()))
      const failure = running.find(({ failure }) => failure !== undefined)?.failure
      if (failure !== undefined) throw failure
      await new Promise((resolve) => setTimeout(resolve, TICK_MS))
    }
  } finally {
    await Promise.all(running.map((each) => each.stop(now())))
    random.dispose()
  }
  const anomalies = running.map(({ anomaly, seconds }) => ({ ...anomaly, seconds }))
  return { format: 'trimtab-injection/1', name: campaign.name, startedUnixMs, anomalies }
}

/** One anomaly from before its start until after its end. */
class RunningAnomaly {
  readonly anomaly: Anomaly
  readonly seconds: InjectedSecond[] = []
  failure: unknown
  readonly #world: InjectionWorld
  readonly #random: Random
  readonly #tell: (second: InjectedSecond) => void
  #starting: Promise<void> | undefined
  #disturbances: readonly Disturbance[] = []
  #level = 0
  #last: DisturbanceTotals = {}
  /** Of the last sample; undefined before the start. */
  #lastAt: number | undefined
  #isOver = false

  constructor(anomaly: Anomaly, world: InjectionWorld, random: Random, tell: (second: InjectedSecond) => void) {
    this.anomaly = anomaly
    this.#world = world
    this.#random = random
    this.#tell = tell
  }

  /** Does what is due at a moment. */
  follow(second: number, levelOf: (anomaly: Anomaly) => number): void {
    const { startSeconds, durationSeconds } = this.anomaly
    if (this.#isOver || second < startSeconds - LEAD_SECONDS) return
    this.#starting ??= this.#start()
    if (second >= startSeconds + durationSeconds) {
      this.stop(second).catch((error) => (this.failure = error))
      return
    }
    if (second < startSeconds) return
    this.#lastAt ??= startSeconds
    this.#level = levelOf(this.anomaly)
    for (const disturbance of this.#disturbances) disturbance.setLevel(this.#level)
    if (second - this.#lastAt >= 1) this.#sample(second)
  }

  async stop(second: number): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    await this.#starting
    for (const disturbance of this.#disturbances) disturbance.setLevel(0)
    if (this.#lastAt !== undefined && second > this.#lastAt) this.#sample(second)
    await Promise.all(this.#disturbances.map((disturbance) => disturbance.stop()))
  }

  async #start(): Promise<void> {
    try {
      this.#disturbances = await disturbancesOf(this.anomaly, this.#world, this.#random)
    } catch (error) {
      this.failure = error
    }
  }

  #sample(at: number): void {
    const totals = sumOf(this.#disturbances.map((disturbance) => disturbance.measure()))
    const measured = Object.fromEntries(
      Object.entries(totals).map(([name, total]) => [name, total - (this.#last[name] ?? 0)]),
    )
    const second = { at, level: this.#level, measured }
    this.seconds.push(second)
    this.#tell(second)
    this.#last = totals
    this.#lastAt = at
  }
}

function sumOf(parts: readonly DisturbanceTotals[]): DisturbanceTotals {
  const sum: Record<string, number> = {}
  for (const part of parts) for (const [name, value] of Object.entries(part)) sum[name] = (sum[name] ?? 0) + value
  return sum
}

async function disturbancesOf(
  anomaly: Anomaly,
  world: InjectionWorld,
  random: Random,
): Promise<readonly Disturbance[]> {
  const { kind, target } = anomaly
  if ('request' in target) return [new Surge(world.requests![target.request]!)]
  const { replicas, proxies, folder, surge } = world.targets.find(({ service }) => service === target.service)!
  if (kind === 'workload') return [new Surge(surge!)]
  if (kind === 'network-delay') return [NetworkDisturbance.delay(proxies!, random)]
  if (kind === 'network-bandwidth') return [NetworkDisturbance.bandwidth(proxies!)]
  const struck = target.replica === undefined ? replicas : [replicas[target.replica]!]
  return startAll(
    struck.map(({ pid, cgroups }) => ({
      ...{ kind, pid, mostLevel: anomaly.intensity, cgroups: cgroups?.[kind] ?? [] },
      ...(folder !== undefined && { folder }),
    })),
  )
}

/** All or none. */
async function startAll(options: readonly (Parameters<typeof Stressor.start>[0] & { kind: StressKind })[]) {
  const started = await Promise.allSettled(options.map((each) => Stressor.start(each)))
  const failed = started.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
  const running = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  if (failed) await Promise.all(running.map((stressor) => stressor.stop()))
  if (failed) throw failed.reason
  return running
}

function checkReach({ anomalies }: Campaign, { targets, requests = {} }: InjectionWorld): void {
  const problems = new Problems()
  for (const [i, { kind, target }] of anomalies.entries()) {
    const path = `anomalies[${i}]`
    if ('request' in target) {
      const names = Object.keys(requests).join(', ') || 'none'
      problems.check(
        Object.hasOwn(requests, target.request),
        `${path}: no request ${target.request}; there are ${names}`,
      )
      continue
    }
    const found = targets.find(({ service }) => service === target.service)
    const names = targets.map(({ service }) => service).join(', ')
    problems.check(found !== undefined, `${path}: no service ${target.service}; there are ${names}`)
    if (!found) continue
    const { service, replicas, proxies = [], folder, surge } = found
    const { replica = 0 } = target
    problems.check(replica < replicas.length, `${path}: ${service} has ${replicas.length} replicas, got ${replica}`)
    if (kind === 'workload')
      problems.check(surge !== undefined, `${path}: ${service} has no surge: say its url and rate`)
    if (kind === 'disk-io') problems.check(folder !== undefined, `${path}: ${service} has no folder to write to`)
    if (kind.startsWith('network'))
      problems.check(proxies.length > 0, `${path}: there is no proxy in front of ${service}: ${kind} needs one`)
  }
  problems.throwIfAny('campaign')
}

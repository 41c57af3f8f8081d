import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { ControlLoop, servingPilot } from '@trimtab/control'
import { type Core, Problems } from '@trimtab/core'
import { stateOf } from '@trimtab/node'
import { type Allocation, type AllocationBounds, type LoadSeries, LogarithmicView } from '@trimtab/tasks/autoscaling'
import { BURN_FUNCTION, SERVICE_POD_PROGRAM } from '../programs.js'
import { quantileOf } from '../quantile.js'
import { type MachineState, measureMachine, whyTooBusy } from '../trial/machine.js'
import { AllocatorController, createArm, type LiveArm } from './arms.js'
import { type Calibration, calibrate, whyUnstable } from './calibration.js'
import type { LimiterOptions } from './limiter.js'
import { LiveCluster } from './live-cluster.js'
import { LiveClusterEnvironment } from './live-environment.js'
import { drawLiveLoad, seriesShape, toTimed, waveShape } from './live-load.js'
import { LoadStream, type TimedRequest } from './load-stream.js'
import { checkLimiter, type LimiterCheck } from './mechanics.js'
import { openLimiter } from './open-limiter.js'
import { type PeriodRecord, recordOf } from './period-record.js'

/** A server of the user's own. */
export interface LiveService {
  /** Path of a program for Node that listens on port `PORT` of the environment. */
  readonly program: string
  /** What is asked of it, by GET: `/search?q=a`. */
  readonly path: string
}

/** What is measured. */
export interface LiveSettings {
  /** The first is the one that the others are judged by. */
  readonly arms: readonly LiveArm[]
  /** Of each arm. */
  readonly blocks: number
  readonly blockPeriods: number
  readonly periodSeconds: number
  /** At ample resources, before the first block: nothing of it is judged, and the SLO comes from it. */
  readonly warmUpPeriods: number
  /** SLO over the p99 at ample resources. */
  readonly sloFactor: number
  readonly peakPerSecond: number
  readonly seed: number
  /** What pods run. Default: a server that works 2 ms of CPU time a request, on average, and waits 3. */
  readonly service?: LiveService
}

/** What was measured. */
export interface LiveMeasurements {
  readonly limiter: string
  readonly isRoot: boolean
  readonly machine: MachineState
  readonly check: LimiterCheck
  readonly calibration: Calibration
  readonly sloMs: number
  readonly blocks: readonly LiveBlock[]
  /** How long each pod took to serve, ms. */
  readonly startsMs: readonly number[]
  /** What was still there when all had been taken down; empty: nothing. */
  readonly leftovers: readonly string[]
  /** Why the machine is too busy for a verdict; `undefined`: it is not. */
  readonly busy: string | undefined
}

/** One arm under one round's load. */
export interface LiveBlock {
  readonly arm: LiveArm
  readonly round: number
  readonly periods: readonly PeriodRecord[]
  /** Over all answers of the periods that are judged. */
  readonly p99Ms: number
}

/** How a trial is watched and stopped, and where it keeps its journal. */
export interface LiveHooks extends LimiterOptions {
  /** Told after each period, of `total` in all. */
  readonly onPeriod: (done: number, total: number, label: string, period: PeriodRecord | undefined) => void
  /** Told what each block came to, and the SLO that it was held against. */
  readonly onBlock?: (block: LiveBlock, sloMs: number) => void
  readonly signal: AbortSignal
}

/** What pods may be: together less than two CPUs, of which generator and balancer need a fifth. */
export const LIVE_BOUNDS: AllocationBounds = { cores: [0.125, 0.45], memoryMiB: [96, 256], replicas: [1, 4] }

const START: Allocation = { coresPerReplica: 0.25, memoryMiBPerReplica: 128, replicas: 2 }
const AMPLE: Allocation = { coresPerReplica: 0.45, memoryMiBPerReplica: 256, replicas: 3 }

/** Periods at the start of a block that nobody is judged by: the arm takes over, and knows no load yet. */
export const SETTLING_PERIODS = 2

// Root's generator and balancer have priorities of their own; else the pods are nicer, so that both run while pods burn.
const isRoot = process.getuid?.() === 0
const NICENESS = isRoot ? { generator: -10, balancer: -10, pods: 0 } : { generator: 0, balancer: 0, pods: 5 }

/**
 * The main job with real processes: how each arm scales pods on this machine under the same arrivals, in balanced alternating blocks. All
 * that was started has ended when it returns or throws.
 *
 * @param series  shape of the load; default: a wave
 * @throws {ConfigError} `config_invalid`; {AdapterError} as `openLimiter`, `LiveCluster` and `LoadStream` say; the signal's reason
 */
export async function measureLive(
  core: Core,
  settings: LiveSettings,
  series: LoadSeries | undefined,
  hooks: LiveHooks,
): Promise<LiveMeasurements> {
  checkSettings(settings)
  const { signal, onNotice, stateFolder } = hooks
  const { main: work } = await import(pathToFileURL(BURN_FUNCTION).href)
  const machine = await measureMachine(work, signal)
  const limiter = openLimiter({ ...(onNotice && { onNotice }), ...(stateFolder !== undefined && { stateFolder }) })
  try {
    const periodMs = 1000 * settings.periodSeconds
    const check = await checkLimiter(limiter, { periodMs, roundsPerMs: machine.roundsPerMs, signal })
    const { service } = settings
    const server = service && { program: SERVICE_POD_PROGRAM, args: [service.program] }
    const cluster = new LiveCluster({ limiter, bounds: LIVE_BOUNDS, niceness: NICENESS, ...server }, AMPLE)
    const load = new LoadStream(NICENESS.generator)
    const pids = [...cluster.pids, load.pid]
    try {
      const trial = new LiveTrial(core, { settings, series, machine, cluster, load, hooks })
      const { calibration, sloMs, blocks } = await trial.run()
      const busy = whyTooBusy(machine) ?? whyUnstable(calibration)
      await Promise.all([cluster.dispose(), load.stop()])
      limiter.dispose()
      pids.push(...cluster.pids)
      const leftovers = [...limiter.leftovers, ...pids.filter(isThere).map((pid) => `process ${pid}`)]
      const { startsMs } = cluster
      return { limiter: limiter.name, isRoot, machine, check, calibration, sloMs, blocks, startsMs, leftovers, busy }
    } finally {
      await Promise.all([cluster.dispose(), load.stop()])
    }
  } finally {
    limiter.dispose()
  }
}

const isThere = (pid: number): boolean => stateOf({ pid, startTime: undefined, pidNamespace: undefined }) === 'alive'

function checkSettings({ arms, blocks, blockPeriods, warmUpPeriods }: LiveSettings): void {
  const problems = new Problems()
  problems.check(arms.length > 0, 'arms must name one at least')
  problems.check(Number.isInteger(blocks) && blocks >= 1, `blocks must be a whole number >= 1, got ${blocks}`)
  problems.check(
    Number.isInteger(blockPeriods) && blockPeriods > SETTLING_PERIODS,
    `blockPeriods must be a whole number > ${SETTLING_PERIODS}, of which nothing is judged, got ${blockPeriods}`,
  )
  problems.check(
    Number.isInteger(warmUpPeriods) && warmUpPeriods > SETTLING_PERIODS,
    `warmUpPeriods must be a whole number > ${SETTLING_PERIODS}, got ${warmUpPeriods}`,
  )
  problems.throwIfAny('live trial')
}

interface TrialParts {
  readonly settings: LiveSettings
  readonly series: LoadSeries | undefined
  readonly machine: MachineState
  readonly cluster: LiveCluster
  readonly load: LoadStream
  readonly hooks: LiveHooks
}

/** The blocks of a trial, one after the other on one cluster. */
class LiveTrial {
  readonly #core: Core
  readonly #parts: TrialParts
  readonly #total: number
  #done = 0

  constructor(core: Core, parts: TrialParts) {
    const { arms, blocks, blockPeriods, warmUpPeriods } = parts.settings
    this.#core = core
    this.#parts = parts
    this.#total = warmUpPeriods + arms.length * blocks * blockPeriods
  }

  async run(): Promise<Pick<LiveMeasurements, 'calibration' | 'sloMs' | 'blocks'>> {
    const { settings, hooks, cluster, load } = this.#parts
    const { arms, warmUpPeriods, sloFactor } = settings
    await cluster.settled(hooks.signal)
    const calibration = await calibrate({
      load,
      requests: this.#requests(0, warmUpPeriods),
      target: await this.#target(warmUpPeriods),
      settlingPeriods: SETTLING_PERIODS,
      onPeriod: () => hooks.onPeriod(++this.#done, this.#total, 'warm-up with pods to spare', undefined),
      signal: hooks.signal,
    })
    const sloMs = sloFactor * calibration.p99Ms
    const stands = arms.map((arm) => this.#stand(arm, sloMs))
    const blocks: LiveBlock[] = []
    for (let round = 0; round < settings.blocks; round++) {
      const requests = this.#requests(1 + round, settings.blockPeriods)
      for (const stand of round % 2 === 0 ? stands : stands.toReversed()) {
        const block = await stand(round, requests)
        blocks.push(block)
        hooks.onBlock?.(block, sloMs)
      }
    }
    return { calibration, sloMs, blocks }
  }

  /** Where an arm stands for the whole trial, with what it learns: runs a block of it. */
  #stand(arm: LiveArm, sloMs: number): (round: number, requests: readonly TimedRequest[]) => Promise<LiveBlock> {
    const { cluster, load, hooks, settings } = this.#parts
    const { blockPeriods, periodSeconds, blocks } = settings
    let requests: readonly TimedRequest[] = []
    let periods: PeriodRecord[] = []
    let latenciesMs: number[] = []
    let label = ''
    const environment = new LiveClusterEnvironment({
      ...{ cluster, load, sloMs, periodSeconds, view: new LogarithmicView(this.#core.math, LIVE_BOUNDS) },
      begin: async (signal = hooks.signal) => {
        await cluster.bring(START)
        await cluster.settled(signal)
        load.begin(requests, { ...(await this.#target(blockPeriods)), sloMs })
      },
      onPeriod: (period) => {
        const record = recordOf(period, { isJudged: periods.length >= SETTLING_PERIODS, sloMs })
        if (record.isJudged && !record.flaw) latenciesMs.push(...period.load.latenciesMs)
        periods.push(record)
        hooks.onPeriod(++this.#done, this.#total, label, record)
      },
    })
    const allocator = createArm(this.#core, arm, { bounds: LIVE_BOUNDS, periodSeconds })
    const controller = new AllocatorController(environment, allocator)
    return async (round, planned) => {
      requests = planned
      periods = []
      latenciesMs = []
      label = `${arm}, round ${round + 1} of ${blocks}`
      const loop = new ControlLoop({
        ...{ environment, pilot: servingPilot(controller, controller), signal: hooks.signal },
        ...{ episodes: 1, episodeSteps: blockPeriods - 1 }, // the first period is the reset's
      })
      for await (const tick of loop) if (tick.failure) throw tick.failure
      hooks.signal.throwIfAborted()
      return { arm, round, periods, p99Ms: quantileOf(latenciesMs, 0.99) }
    }
  }

  /** The warm-up's are 0, those of a round one more than it. */
  #requests(stretch: number, periods: number): TimedRequest[] {
    const { settings, series, machine } = this.#parts
    const seconds = periods * settings.periodSeconds
    const seed = settings.seed + stretch
    const { service } = settings
    const requests = drawLiveLoad(this.#core, {
      ...{ seconds, seed, peakPerSecond: settings.peakPerSecond, roundsPerMs: machine.roundsPerMs },
      shapeAt: series ? seriesShape(series, seconds, stretch) : waveShape(this.#core, seconds, seed),
    })
    return service ? requests.map(({ atMs }) => ({ atMs, path: service.path })) : requests.map(toTimed)
  }

  async #target(periods: number) {
    const { cluster, settings } = this.#parts
    return { port: await cluster.port, periodMs: 1000 * settings.periodSeconds, periods }
  }
}

import type { AnyCore } from '@trimtab/core'
import type { Trace } from '@trimtab/trace'
import type { Anomaly } from './anomaly.js'
import type { Campaign } from './campaign.js'
import { instanceName, type ServiceGraph } from './graph.js'
import { MicroserviceSimulator } from './simulator.js'
import { p99sMs } from './slo.js'

/** What windows are judged by, and how they are run again without single anomalies. */
export interface TruthOptions {
  /** [types] what the p99 of a window may be. */
  readonly slosMs: ArrayLike<number>
  readonly windows: number
  /** Default 10. */
  readonly windowSeconds?: number
  readonly seed?: number
  /** Gets the traces of the run with all anomalies: those that ended in the window, before its truth is known. */
  readonly onTrace?: (trace: Trace, window: number) => void
}

/** What one anomaly did to the requests of a window. */
export interface AnomalyTruth {
  /** Place in the campaign. */
  readonly index: number
  /** Replicas it acts on; none for a surge at a front door. */
  readonly instances: readonly string[]
  /** Whether it acts in the window; if not, only what it left behind does. */
  readonly isActive: boolean
  /** [types] the p99 had it not been; NaN where no SLO is broken that it could have broken. */
  readonly withoutMs: Float64Array
  /** [types] the p99 had it been the only one; NaN as above. */
  readonly aloneMs: Float64Array
  /** [types] 1: responsible for a broken SLO. */
  readonly isResponsible: Uint8Array
}

/** What was really to blame in one window. types: kinds of requests. */
export interface WindowTruth {
  readonly window: number
  readonly fromSecond: number
  readonly toSecond: number
  /** [types] */
  readonly p99Ms: Float64Array
  /** [types] the p99 had nothing gone wrong. */
  readonly faultFreeMs: Float64Array
  /** [types] 1: above the SLO. */
  readonly isViolated: Uint8Array
  /** All that act in the window or did in the one before. */
  readonly anomalies: readonly AnomalyTruth[]
}

/** An anomaly that moves a p99 by less than this part of the SLO has not moved it: one request more or less does as much. */
const NOTICEABLE = 0.1

/**
 * What was really to blame in each window of a campaign.
 *
 * FIRM labels what was injected (`isActive`). That is not what broke the SLO: a disk stressor on a service that hardly
 * reads from disk breaks nothing, and one beside the path neither. So each anomaly is judged by what would have been,
 * same seed and so the same requests with the same work. For a type of requests whose p99 is above the SLO it is
 * responsible if the SLO would hold without it (it is needed), or if it breaks the SLO alone (it is enough); either way it
 * must move the p99 by a tenth of the SLO. What an anomaly leaves in queues counts in the next window too.
 *
 * Where three or more each do a little, none may be needed nor enough: then nobody is called responsible.
 */
export function groundTruth(
  core: AnyCore,
  graph: ServiceGraph,
  campaign: Campaign,
  options: TruthOptions,
): WindowTruth[] {
  const { slosMs, windows, windowSeconds = 10, seed = 0, onTrace } = options
  const worlds = new Worlds(core, graph, campaign, { windows, windowSeconds, seed })
  const factual = worlds.record(new Set(), onTrace)
  const everything = new Set(campaign.anomalies.keys())
  const faultFree = worlds.record(everything)
  const truths = factual.p99sMs.map((p99Ms, window): WindowTruth & { anomalies: AnomalyTruth[] } => ({
    window,
    fromSecond: window * windowSeconds,
    toSecond: (window + 1) * windowSeconds,
    p99Ms,
    faultFreeMs: faultFree.p99sMs[window]!,
    isViolated: Uint8Array.from(p99Ms, (ms, type) => (ms > slosMs[type]! ? 1 : 0)),
    anomalies: [],
  }))
  const unknown = new Float64Array(slosMs.length).fill(Number.NaN)
  for (const [index, anomaly] of campaign.anomalies.entries()) {
    const first = Math.floor(anomaly.startSeconds / windowSeconds)
    const last = Math.ceil((anomaly.startSeconds + anomaly.durationSeconds) / windowSeconds) - 1
    const touched = truths.slice(first, last + 2)
    const toJudge = 1 + touched.findLastIndex(({ isViolated }) => isViolated.includes(1))
    const without = worlds.replay(factual, first, toJudge, new Set([index]))
    const needed = touched.map((truth, i) =>
      truth.isViolated.map((is, type) =>
        is && isNeeded(slosMs[type]!, truth.p99Ms[type]!, (without[i] ?? unknown)[type]!) ? 1 : 0,
      ),
    )
    const isSettled = touched.every(({ isViolated }, i) =>
      isViolated.every((is, type) => !is || needed[i]![type] === 1),
    )
    const others = new Set([...everything].filter((other) => other !== index))
    const alone = worlds.replay(faultFree, first, isSettled ? 0 : toJudge, others)
    for (const [i, truth] of touched.entries()) {
      const [withoutMs, aloneMs] = [without[i] ?? unknown, alone[i] ?? unknown]
      const isResponsible = truth.isViolated.map((is, type) =>
        needed[i]![type] === 1 || (is && isEnough(slosMs[type]!, truth.faultFreeMs[type]!, aloneMs[type]!)) ? 1 : 0,
      )
      const isActive = truth.window <= last
      truth.anomalies.push({
        index,
        instances: instancesOf(graph, anomaly),
        isActive,
        withoutMs,
        aloneMs,
        isResponsible,
      })
    }
  }
  worlds.dispose()
  return truths
}

const isNeeded = (sloMs: number, p99Ms: number, withoutMs: number): boolean =>
  withoutMs <= sloMs && p99Ms - withoutMs >= NOTICEABLE * sloMs

const isEnough = (sloMs: number, faultFreeMs: number, aloneMs: number): boolean =>
  aloneMs > sloMs && aloneMs - faultFreeMs >= NOTICEABLE * sloMs

/** A run, window by window. */
interface Recording {
  /** Of the beginning of each window. */
  readonly states: readonly Uint8Array[]
  /** [windows][types] */
  readonly p99sMs: readonly Float64Array[]
}

type Run = Required<Pick<TruthOptions, 'windows' | 'windowSeconds' | 'seed'>>

/** What would have been: the same requests with some anomalies left out. */
class Worlds {
  readonly #simulator: MicroserviceSimulator
  readonly #run: Run

  constructor(core: AnyCore, graph: ServiceGraph, campaign: Campaign, run: Run) {
    this.#simulator = new MicroserviceSimulator(core, graph, { campaign, seed: run.seed })
    this.#run = run
  }

  /** From the beginning to the end. */
  record(suppressed: ReadonlySet<number>, onTrace?: TruthOptions['onTrace']): Recording {
    this.#simulator.reset(this.#run.seed)
    this.#simulator.suppress(suppressed)
    const states: Uint8Array[] = []
    const p99sMs: Float64Array[] = []
    for (let window = 0; window < this.#run.windows; window++) {
      states.push(this.#simulator.save())
      p99sMs.push(this.#live(window, onTrace && ((trace) => onTrace(trace, window))))
    }
    return { states, p99sMs }
  }

  /** The p99s of `count` windows from a recorded one on. */
  replay(from: Recording, first: number, count: number, suppressed: ReadonlySet<number>): Float64Array[] {
    if (count === 0) return []
    this.#simulator.load(from.states[first]!)
    this.#simulator.suppress(suppressed)
    return Array.from({ length: count }, (_, i) => this.#live(first + i))
  }

  dispose(): void {
    this.#simulator.dispose()
  }

  #live(window: number, onTrace?: (trace: Trace) => void): Float64Array {
    this.#simulator.run((window + 1) * this.#run.windowSeconds, onTrace)
    return p99sMs(this.#simulator.collect())
  }
}

function instancesOf(graph: ServiceGraph, { target }: Anomaly): string[] {
  if (!('service' in target)) return []
  if (target.replica !== undefined) return [instanceName(target.service, target.replica)]
  const { replicas } = graph.services.find(({ name }) => name === target.service)!
  return Array.from({ length: replicas }, (_, replica) => instanceName(target.service, replica))
}

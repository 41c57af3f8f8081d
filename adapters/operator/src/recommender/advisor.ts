import type { Core } from '@trimtab/core'
import { type AutoscalerStatus, formatCpu, formatMemory, type ResolvedAutoscalerSpec } from '@trimtab/kubernetes'
import { type Allocation, allocationDollars, isMeasuredViolation } from '@trimtab/tasks/autoscaling'
import { budgetFinding, type Findings, followingFinding, measuredFinding, percentOf } from './conditions.js'
import type { LearnedState } from './learned-states.js'
import { type Decision, SteeredWorkload, type SteeringOptions } from './steered-workload.js'
import { TrackRecord, type TrackSummary } from './track-record.js'
import type { Workload } from './workload.js'
import { pricesOf } from './workload-environment.js'
import { type Measured, type Measurements, WorkloadTelemetry } from './workload-telemetry.js'

const MIB = 2 ** 20

/** What is said of one workload after a pass. */
export interface Advice {
  readonly status: Omit<AutoscalerStatus, 'conditions' | 'observedGeneration' | 'evidence'>
  /** Worked out when it is written: it takes as long as a decision. */
  readonly evidence: () => NonNullable<AutoscalerStatus['evidence']>
  readonly findings: Findings
}

/** Looks after one workload: measures, lets its loop decide, and keeps the record by which it may be trusted. */
export class Advisor {
  readonly #options: SteeringOptions
  readonly #telemetry: WorkloadTelemetry
  readonly #track: TrackRecord
  readonly #steered: SteeredWorkload
  #fitting: ResolvedAutoscalerSpec | undefined

  constructor(core: Core, options: SteeringOptions) {
    const { spec, stepSeconds } = options
    this.#options = options
    this.#telemetry = new WorkloadTelemetry(stepSeconds)
    const { percent, days } = spec.errorBudget
    this.#track = new TrackRecord({ days, stepSeconds, budget01: percent / 100 })
    this.#steered = new SteeredWorkload(core, options)
  }

  /** Whether it is the right one for this spec and this template; the mode is no part of it. */
  fits(spec: ResolvedAutoscalerSpec, { template }: Workload): boolean {
    const { spec: own, template: size } = this.#options
    if (spec !== this.#fitting && JSON.stringify({ ...own, mode: '' }) !== JSON.stringify({ ...spec, mode: '' }))
      return false
    this.#fitting = spec // the next look at the same object is at once
    return (
      size.coresPerReplica === template.coresPerReplica && size.memoryMiBPerReplica === template.memoryMiBPerReplica
    )
  }

  /** One pass. @param isCarriedOut  whether what is wanted will be in force */
  async advise(workload: Workload, measurements: Measurements, isCarriedOut: boolean): Promise<Advice> {
    const { spec } = this.#options
    const measured = this.#telemetry.measure(spec, workload, measurements)
    const decision = await this.#steered.pass(measured, workload.inForce, isCarriedOut)
    const prices = pricesOf(spec)
    const requested = allocationDollars(prices, workload.inForce)
    const recommended = allocationDollars(prices, decision.wanted)
    this.#track.add(measurements.timeSeconds, isBroken(spec, measured), requested, recommended)
    return this.#adviceOf(workload, measured, decision, isCarriedOut, requested - recommended)
  }

  #adviceOf(workload: Workload, measured: Measured, decision: Decision, isCarriedOut: boolean, saved: number): Advice {
    const { spec, clock } = this.#options
    const { wanted, verdict } = decision
    const track = this.#track.summary()
    const isControlled = (what: 'cpu' | 'memory'): boolean => spec.controlled.includes(what)
    const container = {
      name: workload.container,
      ...(isControlled('cpu') && { cpu: formatCpu(wanted.coresPerReplica) }),
      ...(isControlled('memory') && { memory: formatMemory(wanted.memoryMiBPerReplica * MIB) }),
    }
    const requested = allocationDollars(pricesOf(spec), workload.inForce)
    return {
      status: {
        ...(this.#steered.decider.policy && { stage: isCarriedOut ? ('online' as const) : ('offline' as const) }),
        replicas: { current: workload.ready.length + workload.starting.length, wanted: wanted.replicas },
        containers: [container],
        decidedBy: verdict.by,
        lastDecisionTime: new Date(clock.now()).toISOString(),
        summary: {
          slo: sloText(spec, measured),
          budget: `${percentOf(track.budgetLeft01)} left`,
          saving: `${saved.toFixed(3)} ${spec.cost.currency}/h (${percentOf(requested > 0 ? saved / requested : 0)})`,
        },
      },
      evidence: () => this.#evidence(track, wanted),
      findings: {
        measured: measuredFinding(measured.missing),
        following: followingFinding(verdict),
        withinBudget: budgetFinding(spec, track),
      },
    }
  }

  #evidence(track: TrackSummary, wanted: Readonly<Allocation>): NonNullable<AutoscalerStatus['evidence']> {
    const { policy } = this.#steered.decider
    const sloMs = this.#options.spec.slo.latency?.p99Ms ?? Number.NaN
    const [low, high] = policy?.margin.explain(wanted).interval.map((ratio) => figure(ratio * sloMs)) ?? []
    const isExpected = Number.isFinite(low) && Number.isFinite(high)
    return {
      hours: figure(track.hours),
      ...(track.hours > 0 && {
        requestedPerHour: figure(track.requestedDollars),
        recommendedPerHour: figure(track.recommendedDollars),
        brokenPercent: figure(100 * track.broken01),
      }),
      ...(isExpected && { expectedP99Ms: { low: low!, high: high! } }),
    }
  }

  /** What was learned and seen, by name. */
  save(): LearnedState {
    return { decider: this.#steered.decider.save(), track: this.#track.save() }
  }

  /** Goes on from what `save` gave; what cannot be read begins anew, and is said. */
  load({ decider, track }: LearnedState): string[] {
    const problems: string[] = []
    const attempt = (load: () => void): void => {
      try {
        load()
      } catch (error) {
        problems.push((error as Error).message)
      }
    }
    attempt(() => this.#steered.decider.load(decider))
    attempt(() => this.#track.load(track))
    return problems
  }

  /** Ends its loop. */
  dispose(): void {
    this.#steered.dispose()
  }
}

/** Three digits say enough. */
const figure = (value: number): number => Number(value.toPrecision(3))

/** HPA leaves a use alone that is so near to its target. */
const TOLERANCE = 1.1

/** Whether a step broke what the spec asks for; undefined: it was not measured. */
function isBroken({ slo }: ResolvedAutoscalerSpec, { telemetry: t, servedPerSecond }: Measured): boolean | undefined {
  if (t.oomKills > 0) return true
  if (slo.throughput) return Number.isNaN(servedPerSecond) ? undefined : servedPerSecond < slo.throughput.perSecond
  if (slo.latency) {
    const isKnown = t.p99Ms >= 0 || t.requests === 0
    return isKnown ? isMeasuredViolation(t) : undefined
  }
  const used = utilisationOf(t)
  return Number.isNaN(used) ? undefined : 100 * used > TOLERANCE * slo.utilisation!.cpuPercent
}

const utilisationOf = ({ usedCores, readyReplicas, coresPerReplica }: Measured['telemetry']): number =>
  usedCores / (readyReplicas * coresPerReplica)

/** What was measured, and the bound. */
function sloText({ slo }: ResolvedAutoscalerSpec, { telemetry, servedPerSecond }: Measured): string {
  const known = (value: number, text: (value: number) => string): string => (value >= 0 ? text(value) : 'not measured')
  if (slo.latency) {
    const p99 = telemetry.requests === 0 ? 'no requests' : known(telemetry.p99Ms, (ms) => `p99 ${ms.toFixed(0)} ms`)
    return `${p99}, at most ${slo.latency.p99Ms} ms`
  }
  if (slo.throughput)
    return `${known(servedPerSecond, (rate) => `${rate.toFixed(0)}/s`)}, at least ${slo.throughput.perSecond}/s`
  return `CPU ${known(utilisationOf(telemetry), percentOf)}, target ${slo.utilisation!.cpuPercent} %`
}

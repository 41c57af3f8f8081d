import type { TeamMember } from '@trimtab/control'
import {
  type ClusterScale,
  PAPER_GLOBALS,
  type ServerlessPreset,
  type TenantAllocation,
  TenantObserver,
  type TenantTelemetry,
  writeFeatures,
} from '@trimtab/tasks/serverless'
import type { TenantDecider, TenantDecisions } from './run-tenants.js'

/** What a policy of many functions decides with. */
export interface TeamDeciderOptions {
  /** Has the policy, and tells the team of `PAPER_GLOBALS`. Its agents are the functions, all of the category `TEAM_CATEGORY`. */
  readonly member: TeamMember
  /** What the policy sees and does. */
  readonly preset: ServerlessPreset
  /** What numbers are measured against here. */
  readonly scale: ClusterScale
  /** Decides beside the policy in every step, and in its place where it cannot. */
  readonly rules: TenantDecider
}

/** Functions of a live platform say nothing of theirs: one policy for all. */
export const TEAM_CATEGORY = 'function'

/**
 * A policy decides for all functions, as a member of a team; where it does not know or has nothing to say, each function's rule does.
 * N: functions, S: observation, A: action, K: numbers that the team is told of each.
 */
export class TeamDecider implements TenantDecider {
  readonly #options: TeamDeciderOptions
  readonly #observers = new Map<string, TenantObserver>()

  constructor(options: TeamDeciderOptions) {
    this.#options = options
  }

  /** From the step just ended; `fallbacks` says where the policy did not decide. */
  decide(telemetry: ReadonlyMap<string, Readonly<TenantTelemetry>>): TenantDecisions {
    const { member, preset, scale, rules } = this.#options
    const ruled = rules.decide(telemetry)
    this.#follow(telemetry)
    const names = member.agents
    const views = names.map((name) => this.#observers.get(name)!.view)
    for (const [row, name] of names.entries()) Object.assign(views[row]!.advice, ruled.allocations.get(name))
    const width = preset.observation.length
    const observations = new Float32Array(names.length * width) // [N, S]
    const actions = new Float32Array(names.length * preset.action.space.names.length) // [N, A]
    const values = new Float32Array(names.length * PAPER_GLOBALS.length) // [N, K]
    for (const [row, view] of views.entries()) {
      writeFeatures(preset.observation, view, scale, observations, row * width)
      writeFeatures(PAPER_GLOBALS, view, scale, values, row * PAPER_GLOBALS.length)
    }
    member.step(values)
    const reasons = member.decide(observations, actions)

    const allocations = new Map(ruled.allocations)
    const fallbacks = new Map(ruled.fallbacks)
    for (const [row, name] of names.entries()) {
      const why = reasons[row]
      if (why !== undefined && why !== 'isolated') {
        const isSeen = observations.subarray(row * width, (row + 1) * width).every(Number.isFinite)
        if (!fallbacks.has(name)) fallbacks.set(name, isSeen ? why : 'telemetry_missing')
        continue
      }
      const { containers, shares, keepAliveSeconds } = views[row]!.telemetry
      const allocation: TenantAllocation = { containers, shares, keepAliveSeconds }
      preset.action.apply(actions, row * preset.action.space.names.length, views[row]!, scale, allocation)
      allocations.set(name, allocation)
      fallbacks.delete(name)
    }
    return { allocations, fallbacks }
  }

  /** Leaves the team. May be called twice. */
  dispose(): void {
    this.#options.member.dispose()
  }

  /** Functions that came join the team, those that are gone leave it; all are looked at. */
  #follow(telemetry: ReadonlyMap<string, Readonly<TenantTelemetry>>): void {
    const { member } = this.#options
    for (const name of this.#observers.keys()) {
      if (telemetry.has(name)) continue
      member.remove(name)
      this.#observers.delete(name)
    }
    for (const [name, its] of telemetry) {
      const known = this.#observers.get(name)
      const observer = known ?? new TenantObserver()
      if (!known) {
        member.add(name, TEAM_CATEGORY)
        this.#observers.set(name, observer)
      }
      observer.observe(its)
    }
  }
}

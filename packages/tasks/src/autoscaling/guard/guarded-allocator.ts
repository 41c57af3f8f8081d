import { type Bytes, type Core, FormatError, Problems } from '@trimtab/core'
import { copyBytes } from '@trimtab/core/internal'
import type { Allocator, LearningAllocator } from '../allocator.js'
import { allocationDollars, checkPrices, DEFAULT_PRICES, type Prices } from '../cost.js'
import { RESIZE_MODES, type ResizeMode } from '../simulator.js'
import { type Allocation, clampAllocation, isMeasured, isSameSize, type PodSize, type Telemetry } from '../telemetry.js'
import { ErrorBudget, type ErrorBudgetOptions } from './error-budget.js'
import { type ShadowOptions, ShadowRule } from './shadow-rule.js'

/** How far an allocator may go from the rule, and what it may spend. */
export interface GuardedAllocatorOptions extends ShadowOptions {
  /** What the cluster can do with the size of a running pod: where that is not in place at once, all is left to the rule. Default `in-place`. */
  readonly resize?: ResizeMode
  /** Steps until a resize in place is in force. Default 0. */
  readonly resizeSteps?: number
  readonly budget?: ErrorBudgetOptions
  /** Least cores, of the rule's: in all and of a pod. Grows to 1 as the budget is used up. Default 0.25. */
  readonly leastCores?: number
  /** Least memory of a pod, of what the rule's headroom comes to at its share of requests. Grows to 1 too. Default 0.5. */
  readonly leastMemory?: number
  /** Most dollars, as a multiple of the rule's, over any stretch of time (an hour's worth may be saved up). Default 1.25. */
  readonly mostCost?: number
  readonly prices?: Prices
}

/** An allocator that may say when it does not know the state that it is in: the rule's capacity is kept until it does. */
export interface KnowingAllocator extends Allocator {
  /** Whether the last decision rests on what was seen before. */
  isKnown(): boolean
}

/** Why something else than what the allocator asked for is served. */
export type GuardReason =
  | 'within' // it is what the allocator asked for
  | 'floor' // less than the least share of the rule's capacity
  | 'cost' // more than the most that may be spent
  | 'debt' // the error budget is used up
  | 'recovering' // the SLO was broken a moment ago
  | 'new-load' // more requests than ever seen
  | 'unknown' // the allocator says so
  | 'late-resize' // sizes asked for are not in force a step later
  | 'not-finite' // what it answered is no allocation
  | 'not-measured' // telemetry that it reads is missing

/** What a guard did in the last step. */
export interface GuardExplanation {
  readonly served: 'allocator' | 'clamped' | 'rule'
  readonly reason: GuardReason
  /** Steps that may still break the SLO today. */
  readonly budgetLeftSteps: number
  /** Least cores as a share of the rule's, as the budget stands. */
  readonly leastCores: number
  /** What the rule would have in force. */
  readonly shadow: Readonly<Allocation>
}

const DEFAULTS = { leastCores: 0.25, leastMemory: 0.5, mostCost: 1.25, prices: DEFAULT_PRICES } as const
const OWN = ['resize', 'resizeSteps', 'budget', 'leastCores', 'leastMemory', 'mostCost', 'prices'] as const
const SHADOW = ['bounds', 'startSeconds', 'timeoutSeconds'] as const

const TIGHTENING_FROM = 0.5 // of the budget used: from there on the least shares grow, to reach 1 at all of it
const BREACH = 0.5 // probability of a violation from which on the guard reacts
const REACTION_STEPS = 8 // the rule has this long to clear what an allocator left; what is broken later is its own
const MOST_HURT_STEPS = 16 // what is asked for is beyond every bound by then
const CALM_STEPS = 4 // at the rule's capacity after a violation
const NEW_LOAD = 1.05 // times the highest rate seen
const NEW_LOAD_STEPS = 20 // until it has been seen for a while
const FORGETTING = 1 - 1 / (3 * 5760) // of the highest rate, a step: three days
const QUEUE_CORES = 1.5 // times the rule's cores while a queue is left, once more in each step
const KILL_MEMORY = 2 // times the limit that was too little …
const KILL_RULES_MEMORY = 1.5 // … and times the rule's: what waits needs memory too
const COST_CREDIT_STEPS = 240 // what may be saved up of the cost allowed
const SAME = 1e-3 // relative: sums round
const LATE_AFTER = 2 // resizes in a row that were not in force a step later
const ON_TIME_AFTER = 3 // and that were
const QUEUE_MEMORY = 1.2 // times the memory in use while a queue is left
const OWN_NUMBERS = 14 // of a saved state
const HEAD_NUMBERS = 4
const VERSION = 2
const NO_BYTES = new Uint8Array()
const NOTHING: Allocation = { coresPerReplica: 0, memoryMiBPerReplica: 0, replicas: 0 }
const NEEDED = ['timeSeconds', 'ratePerSecond', 'p99Ms', 'usedCores', 'usedMemoryMiB', 'readyReplicas'] as const

/**
 * Any allocator, kept by a rule that runs in shadow: an SLO's violations are bounded by arithmetic on what is measured, not by
 * trust in who decides.
 *
 * Each step the shadow says what the rule would hold had it been alone (`ShadowRule`). What the allocator asks for is brought to at
 * least a share of that (cores in all, cores and memory of a pod), at most a multiple of its cost, and enough pods that the rule's
 * capacity can be had at once by resizing them. The shares grow to 1 as the error budget is used up. After each violation the rule's
 * capacity is in force from the next step on, with more while a queue is left; in debt the rule's own allocation serves until a
 * reserve is back. So it is too for answers that are no numbers and where sizes turn out to take a step or more to come into force (by
 * what is reported of what was asked for); at least its capacity is kept under a load above all seen so far, and where the
 * allocator says that it does not know. On a cluster that cannot resize in place at once (`resize`, `resizeSteps`) all is left to
 * the rule: the saving rests on sizes that follow the load, and what can be promised without it is what the rule costs.
 *
 * **Worst case**, for any allocator, adversarial ones included, and any rolling day: the steps that break the SLO beyond those that the rule
 * alone would have broken are at most the budget and one reaction. Why: the allocator is let act only while less than the
 * budget was charged in the last day, and each step is charged that broke the SLO under less than the rule's capacity, or
 * before the rule's capacity has made good what was left, so that the charge of a day passes the budget by what the last such step
 * still costs, once. That reaction is one step (telemetry tells of a step when it is over) and the time until the queue is
 * drained, with the rule's capacity from the next step on and half as much again in each step that it lasts: at most 8 steps, and
 * the start-up of pods where it takes more than the pods there are can be. A breach under at least the rule's capacity is not charged: the rule
 * would have had it too. In an hour it is a quarter of the budget and a reaction.
 *
 * The dollars paid over any stretch are at most `mostCost` times the rule's, and an hour's worth of what was saved before, and what the
 * reactions cost.
 *
 * What this rests on: more capacity breaks no SLO that less keeps; a resize in place is in force within a step (where it is not, it takes two
 * resizes to find out); the shadow is true (not for a rule that reads p99); and what is charged is what was broken. Kills, drops and p99 beyond
 * its scatter are charged in full, in the step after; a p99 that few requests hide (within about √(4/N) of the SLO) by its probability given the
 * steps like it, doubled: in the mean no less than what was true once such steps were seen, but a mean, not a bound.
 *
 * @example
 * const guarded = new GuardedAllocator(core, rule, learner, { bounds })
 * operate(simulator, guarded, { steps: 5760 })
 * guarded.explain() // { served: 'allocator', reason: 'within', budgetLeftSteps: 27.4, … }
 */
export class GuardedAllocator implements LearningAllocator {
  readonly name: string
  /** Nothing: the guard must act where telemetry is missing too. */
  readonly reads: readonly (keyof Telemetry)[] = []
  readonly shadow: ShadowRule
  readonly budget: ErrorBudget
  readonly #allocator: Allocator & Partial<LearningAllocator & KnowingAllocator>
  readonly #options: Required<Pick<GuardedAllocatorOptions, 'leastCores' | 'leastMemory' | 'mostCost' | 'prices'>>
  readonly #bounds: Required<ShadowOptions>['bounds']
  readonly #canResize: boolean
  readonly #asked: Allocation = { coresPerReplica: 0, memoryMiBPerReplica: 0, replicas: 0 }
  readonly #reported: PodSize = { coresPerReplica: 0, memoryMiBPerReplica: 0 }
  #hurtSteps = 0 // for which what the allocator left, or a kill, has had to be cleared
  #leastMemoryMiB = 0 // after a kill
  #unsettled = 0 // steps for which what happens is still the allocator's doing
  #calm = 0 // steps for which the rule's capacity is kept after a violation
  #highestRate = 0
  #newLoad = 0 // steps for which a load is still new
  #isLate = false
  #resizes = 0 // in a row: late ones below 0, those on time above
  #credit = 0 // dollars an hour × steps that may be spent beyond `mostCost`
  #served: GuardExplanation['served'] = 'rule'
  #reason: GuardReason = 'within'

  /** @throws {ConfigError} `config_invalid` with every problem */
  constructor(
    core: Pick<Core, 'math'>,
    rule: Allocator & Partial<LearningAllocator>,
    allocator: Allocator,
    options: GuardedAllocatorOptions = {},
  ) {
    const { budget, bounds, startSeconds, timeoutSeconds, resize = 'in-place', resizeSteps = 0, ...own } = options
    const o = { ...DEFAULTS, ...own }
    const problems = new Problems()
    problems.checkKeys(options, [...OWN, ...SHADOW], 'guard')
    problems.check(
      RESIZE_MODES.includes(resize),
      `guard.resize must be one of ${RESIZE_MODES.join(', ')}, got ${String(resize)}`,
    )
    problems.check(
      resizeSteps >= 0 && resizeSteps < Infinity,
      `guard.resizeSteps must be a finite number >= 0, got ${resizeSteps}`,
    )
    for (const name of ['leastCores', 'leastMemory'] as const) {
      problems.check(o[name] >= 0 && o[name] <= 1, `guard.${name} must be in [0, 1], got ${o[name]}`)
    }
    problems.check(
      o.mostCost >= 1 && o.mostCost < Infinity,
      `guard.mostCost must be finite and >= 1, got ${o.mostCost}`,
    )
    problems.throwIfAny('guard')
    checkPrices(o.prices)
    this.name = `guarded-${allocator.name}`
    const shadow: ShadowOptions = {
      ...(bounds !== undefined && { bounds }),
      ...(startSeconds !== undefined && { startSeconds }),
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    }
    this.shadow = new ShadowRule(rule, shadow)
    this.budget = new ErrorBudget(core.math, budget)
    this.#allocator = allocator
    this.#options = o
    this.#bounds = this.shadow.bounds
    this.#canResize = resize === 'in-place' && resizeSteps === 0
  }

  allocate(t: Readonly<Telemetry>, out: Allocation): void {
    if (!this.#canResize) {
      this.#leaveToRule(t, out)
      return
    }
    this.#noteResize(t)
    this.#reported.coresPerReplica = t.coresPerReplica
    this.#reported.memoryMiBPerReplica = t.memoryMiBPerReplica
    this.shadow.observe(t, out)
    this.#account(t)
    this.#noteLoad(t)
    const refusal = this.#ask(t, out)
    if (refusal === undefined) this.#serveWithin(t, out)
    else this.#serveRule(t, out, refusal)
    const { mostCost, prices } = this.#options
    const rules = allocationDollars(prices, this.shadow.allocation)
    const saved = this.#credit + mostCost * rules - allocationDollars(prices, out)
    this.#credit = Math.max(0, Math.min(saved, COST_CREDIT_STEPS * (mostCost - 1) * rules))
    Object.assign(this.#asked, out)
  }

  /** Where pods are not resized in place there is nothing to save and the rule needs no shadow: it is what is in force. */
  #leaveToRule(t: Readonly<Telemetry>, out: Allocation): void {
    this.#served = 'rule'
    this.#reason = 'late-resize'
    const { rule } = this.shadow
    if (rule.reads.every((name) => isMeasured(name, t))) rule.allocate(t, out)
    Object.assign(this.#asked, out)
  }

  /**
   * What was really asked of the cluster in place of what `allocate` filled in: rounded, limited, held. `undefined`: nothing was, somebody
   * only wants to see. What is in force next is then nobody's late resize, and what it breaks is not charged.
   */
  noteAsked(asked: Readonly<Allocation> | undefined): void {
    Object.assign(this.#asked, asked ?? NOTHING)
    if (asked === undefined) this.#credit = 0 // nothing was saved that could be spent
  }

  /** What was done in the last step, and why. */
  explain(): GuardExplanation {
    return {
      served: this.#served,
      reason: this.#reason,
      budgetLeftSteps: this.budget.leftSteps,
      leastCores: this.#share(this.#options.leastCores),
      shadow: { ...(this.#canResize ? this.shadow.allocation : this.#asked) },
    }
  }

  /** Whether sizes come into force too late to rely on. */
  get #areSizesTheRules(): boolean {
    return this.#isLate
  }

  get #hasAskedNothing(): boolean {
    return this.#asked.replicas === 0
  }

  /** Of so many pods, those that serve in the step to come; what is only shown is shown as it would be once all of them do. */
  #serving(t: Readonly<Telemetry>, replicas: number): number {
    return Math.max(1, this.#hasAskedNothing ? replicas : Math.min(t.readyReplicas || 1, replicas))
  }

  /** A least share as the budget stands. */
  #share(least: number): number {
    const used = Math.min(1, Math.max(0, (this.budget.used01 - TIGHTENING_FROM) / (1 - TIGHTENING_FROM)))
    return least + (1 - least) * used
  }

  /** Compares the size that was asked for with the one that the step had. */
  #noteResize(t: Readonly<Telemetry>): void {
    const asked = this.#asked
    if (this.#hasAskedNothing || isSameSize(asked, this.#reported)) return
    if (!(isMeasured('coresPerReplica', t) && isMeasured('memoryMiBPerReplica', t))) return
    this.#resizes = isSameSize(asked, t) ? Math.max(0, this.#resizes) + 1 : Math.min(0, this.#resizes) - 1
    if (this.#resizes <= -LATE_AFTER) this.#isLate = true
    if (this.#resizes >= ON_TIME_AFTER) this.#isLate = false
  }

  /** Books the step just ended: whether it broke the SLO, and whether less than the rule's capacity was to blame. */
  #account(t: Readonly<Telemetry>): void {
    const weight = this.budget.weigh(t)
    const isBreach = weight >= BREACH
    const isCovered = this.#hasAskedNothing || this.#isCovered(t)
    if (this.#hasAskedNothing) this.#unsettled = 0
    const isOwn = !isCovered || this.#unsettled > 0
    if (!isCovered) this.#unsettled = REACTION_STEPS
    else if (this.#unsettled > 0) this.#unsettled = isBreach || !this.shadow.demand.isClear ? this.#unsettled - 1 : 0
    this.budget.charge(isOwn ? weight : 0)
    const isHurt = t.oomKills > 0 || (isOwn && (isBreach || !this.shadow.demand.isClear))
    this.#hurtSteps = isHurt && !this.#hasAskedNothing ? Math.min(MOST_HURT_STEPS, this.#hurtSteps + 1) : 0
    if ((isOwn && isBreach) || t.oomKills > 0) this.#calm = CALM_STEPS
    else if (this.#calm > 0) this.#calm--
    if (t.oomKills > 0) {
      const rules = this.#rulesMemoryMiB(t, Math.max(1, t.readyReplicas))
      this.#leastMemoryMiB = Math.max(KILL_MEMORY * t.memoryMiBPerReplica, KILL_RULES_MEMORY * rules)
    } else if (this.#calm === 0) this.#leastMemoryMiB = 0
  }

  /** Whether the step had at least what the rule would have had: in all and in each pod. Fewer, larger pods serve no worse. */
  #isCovered(t: Readonly<Telemetry>): boolean {
    const rules = this.shadow.telemetry
    const least = 1 - SAME
    const hasCores =
      t.coresPerReplica >= least * rules.coresPerReplica &&
      t.readyReplicas * t.coresPerReplica >= least * rules.readyReplicas * rules.coresPerReplica
    const hasMemory =
      t.oomKills === 0 ||
      (t.memoryMiBPerReplica >= least * rules.memoryMiBPerReplica && t.readyReplicas >= rules.readyReplicas)
    return hasCores && hasMemory
  }

  #noteLoad(t: Readonly<Telemetry>): void {
    if (!isMeasured('ratePerSecond', t)) return
    if (t.ratePerSecond > NEW_LOAD * this.#highestRate) this.#newLoad = NEW_LOAD_STEPS
    else if (this.#newLoad > 0) this.#newLoad--
    this.#highestRate = Math.max(FORGETTING * this.#highestRate, t.ratePerSecond)
  }

  /** Asks the allocator, always: it goes on learning. Why it is not to be followed; `undefined`: it is. */
  #ask(t: Readonly<Telemetry>, out: Allocation): GuardReason | undefined {
    const allocator = this.#allocator
    const isThere = (name: keyof Telemetry): boolean => isMeasured(name, t)
    const canAnswer = NEEDED.every(isThere) && allocator.reads.every(isThere)
    if (canAnswer) allocator.allocate(t, out)
    if (!canAnswer) return 'not-measured'
    if (this.budget.isInDebt) return 'debt'
    if (this.#hurtSteps > 0) return 'recovering'
    if (this.#areSizesTheRules) return 'late-resize' // the saving is gone: what is left to promise is what the rule costs
    return Object.values(out).every((value) => Number.isFinite(value)) ? undefined : 'not-finite'
  }

  /** The rule's own allocation; larger pods while some of those that it would have ready are still starting, or a queue is left. */
  #serveRule(t: Readonly<Telemetry>, out: Allocation, reason: GuardReason): void {
    const { shadow } = this
    this.#served = 'rule'
    this.#reason = reason
    Object.assign(out, shadow.allocation)
    const isQueued = this.#hurtSteps > 0 && !shadow.demand.isClear
    let boost = 1
    for (let i = 0; isQueued && i < this.#hurtSteps; i++) boost *= QUEUE_CORES
    const ready = this.#serving(t, out.replicas)
    if (!this.#areSizesTheRules) {
      const { coresPerReplica } = out
      if (ready < shadow.readyReplicas) {
        out.coresPerReplica *= shadow.readyReplicas / ready
        out.memoryMiBPerReplica = this.#rulesMemoryMiB(t, ready)
      }
      if (isQueued) {
        out.coresPerReplica *= boost
        out.memoryMiBPerReplica = Math.max(out.memoryMiBPerReplica, QUEUE_MEMORY * (t.usedMemoryMiB || 0))
      }
      out.memoryMiBPerReplica = Math.max(out.memoryMiBPerReplica, this.#leastMemoryMiB)
      boost = (boost * coresPerReplica) / this.#bounds.cores[1]
    }
    // What one pod cannot be, more of them are; they take their start-up.
    if (isQueued && this.#hurtSteps > 1 && boost > 1) out.replicas = Math.ceil(out.replicas * boost)
    clampAllocation(out, this.#bounds, shadow.allocation)
  }

  /** What the allocator asked for, brought within the limits. */
  #serveWithin(t: Readonly<Telemetry>, out: Allocation): void {
    const rules = this.shadow.allocation
    const { leastCores, leastMemory, mostCost, prices } = this.#options
    clampAllocation(out, this.#bounds, rules)
    const asked = { ...out }
    const held = this.#heldBy()
    const fewest = this.#fewestReplicas(t, rules.replicas * rules.coresPerReplica)
    out.replicas = Math.max(out.replicas, fewest)
    this.#raise(t, out, held ? 1 : this.#share(leastCores), held ? 1 : this.#share(leastMemory))
    const excess = this.#excess(out)
    if (excess > 1) {
      // Fewer pods before smaller ones, since many small pods serve worse; and no less than the rule's: saving must break nothing.
      out.replicas = Math.max(fewest, Math.ceil(out.replicas / excess))
      const left = Math.max(1, this.#excess(out))
      out.coresPerReplica /= left
      out.memoryMiBPerReplica /= left
      this.#raise(t, out, 1, 1)
    }
    if (this.#excess(out) > 1 + SAME && allocationDollars(prices, out) > mostCost * allocationDollars(prices, rules)) {
      this.#serveRule(t, out, 'cost')
      return
    }
    const isAsked = out.replicas === asked.replicas && isSameSize(out, asked)
    const isMore = out.replicas >= asked.replicas && out.coresPerReplica >= asked.coresPerReplica * (1 - SAME)
    this.#served = isAsked ? 'allocator' : 'clamped'
    this.#reason = isAsked ? 'within' : (held ?? (isMore ? 'floor' : 'cost'))
  }

  /** Brings an allocation to at least a share of the rule's cores, in all and of a pod, and of its memory. */
  #raise(t: Readonly<Telemetry>, out: Allocation, leastCores: number, leastMemory: number): void {
    const { replicas, coresPerReplica } = this.shadow.allocation
    const ready = this.#serving(t, out.replicas)
    const cores = leastCores * Math.max(coresPerReplica, (replicas * coresPerReplica) / ready)
    const memory = Math.max(this.#leastMemoryMiB, leastMemory * this.#rulesMemoryMiB(t, ready))
    out.coresPerReplica = Math.max(out.coresPerReplica, Math.min(this.#bounds.cores[1], cores))
    out.memoryMiBPerReplica = Math.max(out.memoryMiBPerReplica, Math.min(this.#bounds.memoryMiB[1], memory))
  }

  /** Why at least the rule's capacity is kept; `undefined`: it is not. */
  #heldBy(): GuardReason | undefined {
    if (this.#calm > 0) return 'recovering'
    if (this.#newLoad > 0) return 'new-load'
    return this.#allocator.isKnown?.() === false ? 'unknown' : undefined
  }

  /** What an allocation costs over what may be spent now. */
  #excess(allocation: Readonly<Allocation>): number {
    const { mostCost, prices } = this.#options
    const most = mostCost * allocationDollars(prices, this.shadow.allocation) + this.#credit
    return allocationDollars(prices, allocation) / most
  }

  /** Pods that can be resized to the rule's capacity, and hold its requests in memory. */
  #fewestReplicas(t: Readonly<Telemetry>, cores: number): number {
    const { replicas } = this.shadow.allocation
    let fewest = Math.min(replicas, Math.ceil(cores / this.#bounds.cores[1] - SAME))
    while (fewest < replicas && this.#rulesMemoryMiB(t, fewest) > this.#bounds.memoryMiB[1]) fewest++
    return fewest
  }

  /** Memory of a pod with the rule's headroom, were the requests spread over `ready` pods. */
  #rulesMemoryMiB(t: Readonly<Telemetry>, ready: number): number {
    const { allocation, readyReplicas, demand } = this.shadow
    const need = demand.memoryMiB(t, Math.max(1, readyReplicas))
    const times = need > 0 ? demand.memoryMiB(t, ready) / need : 1
    return allocation.memoryMiBPerReplica * times
  }

  /** Begins anew, for another application: nothing was spent, nothing is known; rule and allocator forget too. */
  reset(): void {
    this.shadow.reset()
    this.budget.reset()
    this.#allocator.reset()
    this.#setOwn(new Array<number>(OWN_NUMBERS).fill(0))
    this.#served = 'rule'
    this.#reason = 'within'
  }

  #own(): number[] {
    const { coresPerReplica, memoryMiBPerReplica, replicas } = this.#asked
    const { coresPerReplica: cores, memoryMiBPerReplica: memory } = this.#reported
    return [
      ...[this.#unsettled, this.#calm, this.#highestRate, this.#newLoad, this.#isLate ? 1 : 0, this.#resizes],
      ...[this.#credit, this.#leastMemoryMiB, this.#hurtSteps],
      ...[coresPerReplica, memoryMiBPerReplica, replicas, cores || 0, memory || 0],
    ]
  }

  #setOwn(numbers: readonly number[]): void {
    this.#unsettled = numbers[0]!
    this.#calm = numbers[1]!
    this.#highestRate = numbers[2]!
    this.#newLoad = numbers[3]!
    this.#isLate = numbers[4] === 1
    this.#resizes = numbers[5]!
    this.#credit = numbers[6]!
    this.#leastMemoryMiB = numbers[7]!
    this.#hurtSteps = numbers[8]!
    this.#asked.coresPerReplica = numbers[9]!
    this.#asked.memoryMiBPerReplica = numbers[10]!
    this.#asked.replicas = numbers[11]!
    this.#reported.coresPerReplica = numbers[12]!
    this.#reported.memoryMiBPerReplica = numbers[13]!
  }

  /** Budget, shadow and guard, and what rule and allocator remember where they save that. */
  save(): Uint8Array {
    const [budget, shadow] = [this.budget.save(), this.shadow.save()]
    const rule = this.shadow.rule.save?.() ?? NO_BYTES
    const inner = this.#allocator.save?.() ?? NO_BYTES
    const head = [VERSION, budget.length, shadow.length, rule.byteLength]
    const numbers = Float64Array.from([...head, ...this.#own(), ...budget, ...shadow])
    const bytes = new Uint8Array(numbers.byteLength + rule.byteLength + inner.byteLength)
    bytes.set(new Uint8Array(numbers.buffer))
    bytes.set(rule, numbers.byteLength)
    bytes.set(inner, numbers.byteLength + rule.byteLength)
    return bytes
  }

  /** Goes on from what `save` gave. @throws {FormatError} `guard_state_invalid`, or what the rule's or the allocator's `load` throws */
  load(state: Bytes): void {
    const bytes = copyBytes(state, 'a guarded allocator')
    const head = new Float64Array(bytes.buffer, 0, Math.min(HEAD_NUMBERS, Math.floor(bytes.byteLength / 8)))
    const [version, budgetLength = 0, shadowLength = 0, ruleBytes = 0] = head
    const length = HEAD_NUMBERS + OWN_NUMBERS + budgetLength + shadowLength
    if (version !== VERSION || !(length >= 0 && ruleBytes >= 0 && length * 8 + ruleBytes <= bytes.byteLength)) {
      throw new FormatError('guard_state_invalid', `${bytes.byteLength} bytes are no state of a guarded allocator`)
    }
    const numbers = Array.from(new Float64Array(bytes.buffer, HEAD_NUMBERS * 8, length - HEAD_NUMBERS))
    const own = numbers.slice(0, OWN_NUMBERS)
    if (!own.every(Number.isFinite)) throw new FormatError('guard_state_invalid', 'the state of a guard must be finite')
    const { rule } = this.shadow
    const before = { budget: this.budget.save(), shadow: this.shadow.save(), rule: rule.save?.() }
    try {
      this.budget.load(numbers.slice(OWN_NUMBERS, OWN_NUMBERS + budgetLength))
      this.shadow.load(numbers.slice(OWN_NUMBERS + budgetLength))
      if (ruleBytes > 0) rule.load?.(bytes.slice(length * 8, length * 8 + ruleBytes))
      this.#allocator.load?.(bytes.slice(length * 8 + ruleBytes))
    } catch (error) {
      this.budget.load(before.budget)
      this.shadow.load(before.shadow)
      if (before.rule) rule.load?.(before.rule)
      throw error
    }
    this.#setOwn(own)
  }
}

import type { Core } from '@trimtab/core'
import type { MultidimPodAutoscaler } from '@trimtab/kubernetes'
import { forEachAtMost } from '../at-most.js'
import type { OperatorContext } from '../context.js'
import type { Events } from '../events.js'
import { Advisor } from './advisor.js'
import { LearnedStates } from './learned-states.js'
import type { TrajectoryRun } from './steered-workload.js'
import type { Tended } from './survey.js'
import { spacesOf, type WorkloadSpaces } from './workload-environment.js'

/** What advisors run with. */
export interface AdvisorsOptions {
  readonly core: Core
  readonly periodSeconds: number
  /** Opens the store in which the steps of a workload are kept; default: they are not. */
  readonly openTrajectory?: (autoscaler: MultidimPodAutoscaler, spaces: WorkloadSpaces) => Promise<TrajectoryRun>
}

interface Seat {
  readonly object: MultidimPodAutoscaler
  readonly advisor: Advisor
  savedAtMs: number
}

const AT_ONCE = 16
/** What may be lost of what was learned when a process dies. */
const SAVED_EVERY_MS = 300_000
/** The next leader begins when the lease has run out: nothing is written any more by then. */
const LAST_WORDS_MS = 4000

/** The advisors of all workloads: they begin with what was learned before, go on through a changed spec, and are kept now and then. */
export class Advisors {
  readonly #context: OperatorContext
  readonly #events: Events
  readonly #options: AdvisorsOptions
  readonly #states: LearnedStates
  readonly #seats = new Map<string, Seat>()
  readonly #failures = new Map<string, string>()

  constructor(context: OperatorContext, events: Events, options: AdvisorsOptions) {
    this.#context = context
    this.#events = events
    this.#options = options
    this.#states = new LearnedStates(context)
  }

  /** The advisor of an autoscaler that was admitted; a text: why there is none. */
  of({ metadata }: MultidimPodAutoscaler): Advisor | string {
    return this.#seats.get(metadata!.uid!)?.advisor ?? this.#failures.get(metadata!.uid!) ?? 'it was not looked at yet'
  }

  /** Sees to it that each has an advisor for its spec and its template. @throws the signal's reason */
  async admit(tended: readonly Tended[], signal: AbortSignal): Promise<void> {
    const due = tended.filter((one) => !this.#seats.get(uidOf(one.object))?.advisor.fits(one.spec, one.workload))
    await forEachAtMost(AT_ONCE, due, async (one) => {
      try {
        await this.#seat(one, signal)
        this.#failures.delete(uidOf(one.object))
      } catch (error) {
        signal.throwIfAborted()
        this.#failures.set(uidOf(one.object), (error as Error).message)
      }
    })
  }

  /** Keeps what was learned of those whose turn it is, a few in each pass. */
  async saveDue(signal: AbortSignal): Promise<void> {
    const now = this.#context.clock.now()
    const due = [...this.#seats.values()].filter(({ savedAtMs }) => Math.abs(now - savedAtMs) >= SAVED_EVERY_MS)
    const share = Math.ceil((this.#seats.size * 2000 * this.#options.periodSeconds) / SAVED_EVERY_MS)
    await this.#save(due.slice(0, share), signal)
  }

  /** Keeps what was learned of all, as far as time allows: the oldest first. */
  async saveAll(): Promise<void> {
    const all = [...this.#seats.values()].sort((a, b) => a.savedAtMs - b.savedAtMs)
    await this.#save(all, AbortSignal.timeout(LAST_WORDS_MS)).catch(() => {}) // what is left was kept some minutes ago
  }

  /** Its autoscaler has gone. */
  forget(uid: string): void {
    this.#seats.get(uid)?.advisor.dispose()
    this.#seats.delete(uid)
    this.#failures.delete(uid)
    this.#states.forget(uid)
  }

  /** Ends all loops. */
  dispose(): void {
    for (const { advisor } of this.#seats.values()) advisor.dispose()
    this.#seats.clear()
  }

  async #seat({ object, spec, workload }: Tended, signal: AbortSignal): Promise<void> {
    const { capabilities, clock, metrics, logger } = this.#context
    const before = this.#seats.get(uidOf(object))
    const { state, problem } = before ? { state: before.advisor.save() } : await this.#states.load(object, signal)
    before?.advisor.dispose()
    const { core, periodSeconds: stepSeconds } = this.#options
    const trajectory = await this.#openTrajectory(object, spec)
    const options = { spec, capabilities, template: workload.template, stepSeconds, clock, trajectory, logger }
    const advisor = new Advisor(core, { ...options, metrics: metrics?.loops })
    const problems = [...(problem ? [problem] : []), ...(state ? advisor.load(state) : [])]
    if (problems.length > 0)
      this.#events.record(object, { type: 'Warning', reason: 'BeginsAnew', message: problems.join('; ') })
    this.#seats.set(uidOf(object), { object, advisor, savedAtMs: before?.savedAtMs ?? clock.now() })
  }

  /** A loop goes on without a store: what it decides does not rest on it. */
  async #openTrajectory(object: MultidimPodAutoscaler, spec: Tended['spec']): Promise<TrajectoryRun | undefined> {
    try {
      return await this.#options.openTrajectory?.(object, spacesOf(spec))
    } catch (error) {
      const { namespace, name } = object.metadata!
      const message = (error as Error).message
      this.#context.logger?.warn('no trajectory is kept', { namespace, name, error: message })
      return undefined
    }
  }

  async #save(seats: readonly Seat[], signal: AbortSignal): Promise<void> {
    await forEachAtMost(AT_ONCE, seats, async (seat) => {
      signal.throwIfAborted()
      seat.savedAtMs = this.#context.clock.now()
      try {
        await this.#states.save(seat.object, seat.advisor.save(), signal)
      } catch (error) {
        signal.throwIfAborted()
        const { namespace, name } = seat.object.metadata!
        this.#context.logger?.warn('what was learned was not kept', {
          namespace,
          name,
          error: (error as Error).message,
        })
      }
    })
  }
}

const uidOf = ({ metadata }: MultidimPodAutoscaler): string => metadata!.uid!

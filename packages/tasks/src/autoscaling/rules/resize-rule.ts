import { type Bytes, FormatError } from '@trimtab/core'
import { copyBytes } from '@trimtab/core/internal'
import { WindowMax } from '../../window-max.js'
import type { Allocation, Telemetry } from '../telemetry.js'
import { MEMORY_HEADROOM_READS, MemoryHeadroom } from './memory-headroom.js'
import type { Rule, RuleCluster } from './rule.js'
import { WORK_METER_READS, WorkMeter } from './work-meter.js'

/** What an operator sets of the resize rule. */
export interface ResizeSettings {
  /** CPU demand over requested cores, percent. */
  readonly targetPercent: number
  /** Steps of which the largest rate counts. */
  readonly windowSteps: number
  /** Cores of a pod at least: a small pod throttles single requests, however little there is to do. */
  readonly leastCores: number
  /** By how much a pod must be too large before it shrinks, 0 … 1. With rolling updates it grows by half of that more than it must. */
  readonly hysteresis01: number
  /** Memory limit over the largest recent use. */
  readonly headroom: number
}

const VERSION = 1 // of a saved state
/** Room that a pod must have to grow, as a factor of its size: before that is gone, another pod is started. */
const ROOM_OUT = 1.15
/** The same that must be left to let a pod go. */
const ROOM_IN = 1.4
/** How long the cores stay that were asked for under strain, steps: in less no pod would start and no backlog drain. */
const STRAIN_STEPS = 8
/** What a pod's part of the load may grow by at once when another one goes, as far as memory is planned for it. */
const MOST_SHARE = 1.5

/**
 * Makes pods larger and smaller with the load: cores = largest of the last rates × measured work of a request / target, on the
 * fewest pods that hold them, memory by headroom. Grows at once, shrinks beyond a hysteresis only. While pods start, those that run
 * take their part, where they can be resized in place.
 *
 * It answers a jump of the load in the step after it. Where a resize is a rolling update it answers no faster than HPA, and where
 * pods keep their first size it has nothing to do (`ruleFamilies` leaves it out).
 */
export class ResizeRule implements Rule {
  readonly name = 'resize'
  readonly reads: readonly (keyof Telemetry)[] = [
    ...WORK_METER_READS,
    ...MEMORY_HEADROOM_READS.filter((name) => name !== 'oomKills'),
  ]
  readonly settings: ResizeSettings
  readonly #cluster: RuleCluster
  readonly #work = new WorkMeter()
  readonly #rates: WindowMax
  readonly #strain = new WindowMax(new Float64Array(1 + STRAIN_STEPS))
  readonly #memory: MemoryHeadroom
  #asked = 0 // cores

  constructor(cluster: RuleCluster, settings: ResizeSettings) {
    this.settings = settings
    this.#cluster = cluster
    this.#rates = new WindowMax(new Float64Array(1 + settings.windowSteps))
    this.#memory = new MemoryHeadroom(settings.headroom, cluster.resize)
  }

  observe(t: Readonly<Telemetry>): void {
    this.#work.observe(t)
    this.#rates.push(t.ratePerSecond)
    this.#memory.observe(t)
  }

  allocate(t: Readonly<Telemetry>, out: Allocation): void {
    this.observe(t)
    const { leastCores, hysteresis01, targetPercent } = this.settings
    const { resize } = this.#cluster
    const most = this.#cluster.bounds.cores[1]
    // Where more is asked than can be done the work of a request may be more than is known, and what waits has to be worked off:
    // all cores count as used, for a while.
    this.#strain.push(this.#work.isStrained ? t.readyReplicas * t.coresPerReplica : 0)
    const demand = Math.max(this.#rates.max() * this.#work.secondsPerRequest, this.#strain.max())
    const cores = demand / (targetPercent / 100)

    const pods = t.readyReplicas + t.startingReplicas
    const replicas = this.#replicas(cores, pods)
    let size = Math.max(leastCores, cores / replicas)
    const asked = this.#asked || t.coresPerReplica // what is in force may lag behind
    if (replicas === pods && size < asked && size > asked * (1 - hysteresis01)) size = asked
    else if (size > asked && resize === 'restart') size *= 1 + hysteresis01 / 2 // a rolling update is not for a per cent
    size = Math.min(most, size)
    const ready = Math.max(1, t.readyReplicas)
    if (ready < replicas && resize === 'in-place') size = Math.min(most, (size * replicas) / ready)

    this.#asked = size
    out.replicas = replicas
    out.coresPerReplica = size
    out.memoryMiBPerReplica = this.#memory.memoryMiB(
      t.memoryMiBPerReplica,
      Math.min(MOST_SHARE, Math.max(1, ready / replicas)),
    )
  }

  /** The fewest pods that hold the cores with room to grow; those at hand stay while there would be little room without them. */
  #replicas(cores: number, pods: number): number {
    const { replicas, cores: sizes } = this.#cluster.bounds
    const fewest = (room: number): number =>
      Math.min(replicas[1], Math.max(replicas[0], Math.ceil((cores * room) / sizes[1])))
    return Math.max(fewest(ROOM_OUT), Math.min(pods, fewest(ROOM_IN)))
  }

  reset(): void {
    this.#work.reset()
    this.#rates.clear()
    this.#strain.clear()
    this.#memory.reset()
    this.#asked = 0
  }

  save(): Uint8Array {
    const parts = [
      [VERSION, this.#asked],
      this.#work.save(),
      this.#rates.save(),
      this.#strain.save(),
      this.#memory.save(),
    ]
    return new Uint8Array(Float64Array.from(parts.flatMap((part) => [...part])).buffer)
  }

  /** Goes on from what `save` gave. @throws {FormatError} `rule_state_invalid`, changing nothing */
  load(state: Bytes): void {
    const bytes = copyBytes(state, 'the state of a rule')
    const size = this.save().byteLength
    const numbers = bytes.byteLength === size ? new Float64Array(bytes.buffer) : undefined
    if (!numbers || numbers[0] !== VERSION || !numbers.every((value) => Number.isFinite(value) && value >= 0))
      throw new FormatError(
        'rule_state_invalid',
        `${state.byteLength} bytes are no state of this resize rule (${size} bytes)`,
      )
    const work = 2
    const rates = work + this.#work.stateSize
    const strain = rates + 1 + this.settings.windowSteps
    const memory = strain + 1 + STRAIN_STEPS
    this.#asked = numbers[1]!
    this.#work.load(numbers.slice(work, rates))
    this.#rates.load(numbers.slice(rates, strain))
    this.#strain.load(numbers.slice(strain, memory))
    this.#memory.load([...numbers.slice(memory)])
  }
}

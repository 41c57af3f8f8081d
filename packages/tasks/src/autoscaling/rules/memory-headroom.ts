import { WindowMax } from '../../window-max.js'
import type { ResizeMode } from '../simulator.js'
import type { Telemetry } from '../telemetry.js'

/** What a `MemoryHeadroom` decides from. */
export const MEMORY_HEADROOM_READS: readonly (keyof Telemetry)[] = ['usedMemoryMiB', 'memoryMiBPerReplica', 'oomKills']

/** A kill hides the true need: it counts as a sample of this much of the limit that was not enough. */
const KILL_FACTOR = 1.3

interface Manner {
  /** Samples of which the largest counts. */
  readonly samples: number
  /** The limit grows once this share of the headroom is used up. */
  readonly growsAt01: number
  /** The limit shrinks once it is this share too large. */
  readonly shrinksBeyond01: number
}

// A change in place costs nothing. One by a rolling update is paid twice over and stops the scaling of pods meanwhile, so that it
// waits until it is needed. Where the first size stays for ever it has to do for all that was ever seen.
const MANNERS: Readonly<Record<ResizeMode, Manner>> = {
  'in-place': { samples: 20, growsAt01: 0, shrinksBeyond01: 0.05 },
  restart: { samples: 240, growsAt01: 0.5, shrinksBeyond01: 0.3 },
  none: { samples: 20, growsAt01: 0, shrinksBeyond01: 0 },
}

/** Memory of a pod, MiB: headroom × the largest of the last samples (20 where pods are resized in place). */
export class MemoryHeadroom {
  readonly #headroom: number
  readonly #resize: ResizeMode
  readonly #manner: Manner
  readonly #recent: WindowMax
  #largestEver = 0
  #asked = 0

  /** @param headroom  limit over largest use, above 1 */
  constructor(headroom: number, resize: ResizeMode) {
    this.#headroom = headroom
    this.#resize = resize
    this.#manner = MANNERS[resize]
    this.#recent = new WindowMax(new Float64Array(1 + this.#manner.samples))
  }

  /** Takes in a step's sample. */
  observe(t: Readonly<Telemetry>): void {
    const sample = t.oomKills > 0 ? KILL_FACTOR * t.memoryMiBPerReplica : t.usedMemoryMiB
    this.#recent.push(sample)
    this.#largestEver = Math.max(this.#largestEver, sample)
  }

  /**
   * The limit wanted, MiB: the one asked for before while that will do. What is in force may lag behind it, so that holding that
   * would take an ask back.
   * @param inForceMiB  the limit of now, which counts as asked for at first
   * @param share       by how much a pod's part of the load is about to grow
   */
  memoryMiB(inForceMiB: number, share = 1): number {
    const largest = share * (this.#resize === 'none' ? this.#largestEver : this.#recent.max())
    const wanted = this.#headroom * largest
    const { growsAt01, shrinksBeyond01 } = this.#manner
    this.#asked ||= inForceMiB
    const isTight = this.#asked < largest * (this.#headroom - growsAt01 * (this.#headroom - 1))
    const isWide = this.#asked * (1 - shrinksBeyond01) > wanted
    if (isTight || isWide) this.#asked = wanted
    return this.#asked
  }

  /** Its numbers. */
  save(): number[] {
    return [this.#largestEver, this.#asked, ...this.#recent.save()]
  }

  /** Goes on from the numbers that `save` gave. */
  load([largestEver, asked, ...recent]: readonly number[]): void {
    this.#largestEver = largestEver!
    this.#asked = asked!
    this.#recent.load(Float64Array.from(recent))
  }

  /** Forgets all samples. */
  reset(): void {
    this.#recent.clear()
    this.#largestEver = 0
    this.#asked = 0
  }
}

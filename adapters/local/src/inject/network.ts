import type { Random } from '@trimtab/core'
import { STRONGEST } from '@trimtab/tasks/microservices'
import type { Disturbance, DisturbanceTotals } from './disturbance.js'
import type { EdgeProxy, TrafficShape } from './edge-proxy.js'

/** A delay of whatever a service answers, or others on its link: on all ways to it. */
export class NetworkDisturbance implements Disturbance {
  readonly #proxies: readonly EdgeProxy[]
  readonly #shape: TrafficShape
  readonly #setLevel: (level: number) => void
  #pieces = 0
  #bytes = 0
  #heldMs = 0

  private constructor(
    proxies: readonly EdgeProxy[],
    shape: Omit<TrafficShape, 'onPassed'>,
    setLevel: (level: number) => void,
  ) {
    this.#proxies = proxies
    this.#setLevel = setLevel
    this.#shape = Object.assign(shape, {
      onPassed: (bytes: number, heldMs: number) => {
        this.#pieces++
        this.#bytes += bytes
        this.#heldMs += heldMs
      },
    })
    for (const proxy of proxies) proxy.add(this.#shape)
  }

  static delay(proxies: readonly EdgeProxy[], random: Random): NetworkDisturbance {
    let meanMs = 0
    const drawDelayMs = (): number => Math.max(0, random.normal(meanMs, STRONGEST.delayDeviation * meanMs))
    return new NetworkDisturbance(proxies, { drawDelayMs, bandwidthTaken01: 0 }, (level) => {
      meanMs = level * STRONGEST.delayMs
    })
  }

  static bandwidth(proxies: readonly EdgeProxy[]): NetworkDisturbance {
    const shape = { drawDelayMs: () => 0, bandwidthTaken01: 0 }
    return new NetworkDisturbance(proxies, shape, (level) => {
      shape.bandwidthTaken01 = level * STRONGEST.interference
    })
  }

  setLevel(level: number): void {
    this.#setLevel(level)
  }

  measure(): DisturbanceTotals {
    return { pieces: this.#pieces, bytes: this.#bytes, heldMs: this.#heldMs }
  }

  async stop(): Promise<void> {
    for (const proxy of this.#proxies) proxy.remove(this.#shape)
  }
}

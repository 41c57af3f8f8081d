import type { Allocation, Telemetry } from '../telemetry.js'
import { Heuristic } from './heuristic.js'

/** Additive increase of limits while the SLO is broken, multiplicative decrease while it holds (the papers' AIMD baseline, 3.3). */
export class Aimd extends Heuristic {
  readonly name = 'aimd'
  protected readonly reads: readonly (keyof Telemetry)[] = [
    'p99Ms',
    'sloMs',
    'requests',
    'droppedRequests',
    'oomKills',
    'usedMemoryMiB',
    'memoryMiBPerReplica',
    'coresPerReplica',
    'readyReplicas',
    'startingReplicas',
  ]
  #cores = 0

  override beginEpisode(): void {
    this.#cores = 0
  }

  protected allocate(telemetry: Telemetry, out: Allocation): void {
    const inForce = out.coresPerReplica * out.replicas
    this.#cores ||= inForce
    const violated = telemetry.p99Ms > telemetry.sloMs || telemetry.droppedRequests > 0
    // What bounds kept from coming into force is no base to increase from.
    this.#cores = violated ? Math.min(this.#cores, inForce) + 1 : Math.max(0.25, this.#cores * 0.98)
    out.coresPerReplica = 1
    out.replicas = Math.ceil(this.#cores)
    const tight = telemetry.oomKills > 0 || telemetry.usedMemoryMiB > 0.95 * telemetry.memoryMiBPerReplica
    out.memoryMiBPerReplica = tight ? out.memoryMiBPerReplica + 128 : out.memoryMiBPerReplica * 0.99
  }
}

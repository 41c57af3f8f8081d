import { type FunctionProfile, IO_KNEE, MEMORY_KNEE } from '../function-profile.js'
import type { InvokerSpec } from '../platform-spec.js'
import type { EventContainer } from './event-container.js'
import { SharedCpu } from './shared-cpu.js'

/** An invoker with its containers: what they hold, and how they get in each other's way. */
export class EventInvoker {
  readonly cpu: SharedCpu<EventContainer>
  readonly speed: number
  readonly #memoryMiB: number
  readonly #ioStreams: number
  readonly #containers = new Map<EventContainer, FunctionProfile>()
  #heldMiB = 0

  constructor({ cores, speed, memoryMiB, ioStreams }: InvokerSpec) {
    this.cpu = new SharedCpu(cores)
    this.speed = speed
    this.#memoryMiB = memoryMiB
    this.#ioStreams = ioStreams
  }

  /** Memory that no container holds. */
  get freeMiB(): number {
    return this.#memoryMiB - this.#heldMiB
  }

  add(container: EventContainer, profile: FunctionProfile): void {
    this.#containers.set(container, profile)
    this.#heldMiB += profile.memoryMiB
  }

  remove(container: EventContainer): void {
    this.#heldMiB -= this.#containers.get(container)!.memoryMiB
    this.#containers.delete(container)
  }

  /** How much longer a request takes that begins now: memory and I/O in use beyond their knees. */
  slowdownOf({ memorySensitivity, ioSensitivity }: FunctionProfile): number {
    let memory = 0
    let streams = 0
    for (const [{ state }, { memoryMiB, idleMemoryMiB }] of this.#containers) {
      memory += state === 'computing' || state === 'waiting' ? memoryMiB : idleMemoryMiB
      if (state === 'waiting') streams++
    }
    const memoryExcess = Math.max(0, memory / this.#memoryMiB - MEMORY_KNEE)
    const ioExcess = Math.max(0, streams / this.#ioStreams - IO_KNEE)
    return 1 + memorySensitivity * memoryExcess + ioSensitivity * ioExcess
  }
}

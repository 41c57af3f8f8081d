import { fileURLToPath } from 'node:url'
import { stateOf } from '@trimtab/node'
import { FunctionPool, type FunctionPoolOptions } from '../src/function-pool.js'
import { MachineRoom } from '../src/machine-room.js'

export const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url))

/** Kept as long as a test runs. */
export const FOR_EVER = 1e9

/** Room for so much memory, and as many starts at once as there are. */
export const createRoom = (memoryMiB: number, mostStarting = Number.POSITIVE_INFINITY): MachineRoom =>
  new MachineRoom({ memoryMiB, mostStarting })

/** A pool of which only that is said that a test cares about. */
export function createPool(file: string, options: Partial<FunctionPoolOptions> = {}): FunctionPool {
  return new FunctionPool({
    source: { file: fixture(file) },
    allocation: { containers: 0, shares: 1024, keepAliveSeconds: FOR_EVER },
    room: createRoom(4096),
    clock: { now: () => performance.timeOrigin + performance.now() },
    ...{ memoryMiB: 256, most: 4, timeoutMs: 60_000, startTimeoutMs: 60_000, logBytes: 10_000, niceness: 0 },
    ...options,
  })
}

/** Whether a process still runs; a zombie does not. */
export const isAlive = (pid: number): boolean =>
  stateOf({ pid, startTime: undefined, pidNamespace: undefined }) === 'alive'

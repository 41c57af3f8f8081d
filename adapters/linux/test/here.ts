// What of this machine tests may use, and what they say when they may not.
import process from 'node:process'
import { notChecked } from '../../../test/not-checked.js'
import { readStatus } from '../src/index.js'

const { controllers, network } = readStatus(undefined, [])
const isRoot = process.getuid?.() === 0

/** Whether version 1 is here and ours to write: limits are really enforced. */
export const HAS_VERSION_1: boolean =
  isRoot && controllers.every(({ version, isWritable }) => version === 1 && isWritable)
export const HAS_NETWORK: boolean = isRoot && network === 'writable'

export const sayNoVersion1 = (what: string): void =>
  notChecked(what, 'root, and the controllers of cgroup version 1 below /sys/fs/cgroup')

/** Resolves when the event loop has turned and some time has passed: for waiting until a state is there. */
export async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise((resolve) => setTimeout(resolve, 20))
}

// What a test opens is closed when it is over.
import { afterEach } from 'vitest'
import { startDouble } from './protocol-double.mjs'
import { type Double, type Started, type StartOptions, start as startUnclosed } from './start.js'

interface Closable {
  close(): Promise<unknown>
}

const open: Closable[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

export function closing<T extends Closable>(opened: T): T {
  open.push(opened)
  return opened
}

/** `start` of start.js. */
export const start = async (options?: StartOptions): Promise<Started> => closing(await startUnclosed(options))

/** A double of an upstream. */
export const double = async (options?: object): Promise<Double> => closing(await startDouble(options))

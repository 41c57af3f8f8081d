// The limiters that this machine has, for tests that hold for each of them.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readStatus } from '@trimtab/linux'
import { notChecked } from '../../../../test/not-checked.js'
import type { Limiter } from '../../src/live/limiter.js'
import { openLimiter } from '../../src/live/open-limiter.js'
import { SignalLimiter } from '../../src/live/signal-limiter.js'

const { controllers, hasSchedstat } = readStatus(undefined, [])
const hasGroups = controllers.some(({ controller, isWritable }) => controller === 'cpu' && isWritable)

export const LIMITERS: readonly (readonly [name: string, open: () => Limiter])[] = [
  ...(hasSchedstat && hasGroups
    ? [['control groups', () => openLimiter({ stateFolder: mkdtempSync(join(tmpdir(), 'trimtab-live-')) })] as const]
    : []),
  ...(hasSchedstat ? [['signals', () => new SignalLimiter()] as const] : []),
]

/** Says what is left out; call it where tests are collected. */
export function sayWhatIsMissing(what: string): void {
  if (!hasSchedstat) notChecked(what, 'Linux that counts times of tasks (CONFIG_SCHED_INFO)')
  else if (!hasGroups)
    notChecked(`${what}, held by control groups`, 'root, and the controllers cpu and memory writable')
}

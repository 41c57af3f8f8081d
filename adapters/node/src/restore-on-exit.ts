import process from 'node:process'

/** Something that must not outlive the process. Both work synchronously, because an exit waits for nothing. */
export interface Restorable {
  /** Gives back; the program goes on and may take again. */
  restore(): void
  /** Gives back for good. */
  dispose(): void
}

const SIGNALS: readonly NodeJS.Signals[] =
  process.platform === 'win32' ? ['SIGINT', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']

const held = new Set<Restorable>()

/** Deno ends by an uncaught error without the event `exit`; it tells these before. Node has neither, nor the function. */
const LAST_WORDS = ['error', 'unhandledrejection'] as const
const { addEventListener, removeEventListener } = globalThis as Partial<
  Pick<typeof globalThis, 'addEventListener' | 'removeEventListener'>
>

/**
 * Restores `what` on every way out that a program can see: its end, `process.exit`, an exception nobody caught, a signal. What it
 * cannot see (SIGKILL, power) is for whoever comes next to mend.
 *
 * A signal restores at once. Where nobody else listens the process then ends by that same signal, as it would have; where somebody
 * does (a graceful shutdown), that listener decides.
 *
 * @returns undoes the registration
 */
export function restoreOnExit(what: Restorable): () => void {
  if (held.size === 0) {
    process.on('exit', onExit)
    // Before the others: a listener added by `once` is already gone when a later one counts them.
    for (const signal of SIGNALS) process.prependListener(signal, onSignal)
    for (const event of LAST_WORDS) addEventListener?.(event, restoreHeld)
  }
  held.add(what)
  return () => {
    if (!held.delete(what) || held.size > 0) return
    process.off('exit', onExit)
    for (const signal of SIGNALS) process.off(signal, onSignal)
    for (const event of LAST_WORDS) removeEventListener?.(event, restoreHeld)
  }
}

function onExit(): void {
  for (const what of [...held]) what.dispose()
}

function restoreHeld(): void {
  for (const what of [...held]) what.restore()
}

function onSignal(signal: NodeJS.Signals): void {
  const isAlone = process.listenerCount(signal) === 1
  if (!isAlone) {
    restoreHeld()
    return
  }
  onExit()
  process.off(signal, onSignal) // for what could not be restored and is still held
  process.kill(process.pid, signal)
}

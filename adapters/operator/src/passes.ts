import { sleep } from '@trimtab/control'
import type { OperatorContext } from './context.js'
import type { OperatorPart } from './names.js'

/** A part of the operator: a pass at a time, or one after the other until it is told to end. */
export interface Part {
  /** One pass over all autoscalers. */
  step(signal: AbortSignal): Promise<void>
  /** A pass each period until `signal` is aborted; what must outlive the process is saved then. */
  run(signal: AbortSignal): Promise<void>
  /** Ends what it follows. */
  dispose?(): void
}

/**
 * Passes of a part until `signal` is aborted, each begun a period after the last one; a slow one is followed at once. A pass that
 * fails is told and counted, and the next one tries anew.
 */
export async function runPasses(
  context: Pick<OperatorContext, 'logger' | 'metrics'>,
  name: OperatorPart,
  step: Part['step'],
  periodMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const startedMs = performance.now()
    const outcome = await step(signal).then(
      () => 'done' as const,
      (error) => {
        if (!signal.aborted) context.logger?.error('a pass failed', { part: name, error: error.message })
        return 'failed' as const
      },
    )
    const tookMs = performance.now() - startedMs
    if (signal.aborted) return
    context.metrics?.passed(name, tookMs / 1000, outcome)
    await sleep(Math.max(0, periodMs - tookMs), signal)
  }
}

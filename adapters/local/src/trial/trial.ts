import { ConfigError } from '@trimtab/core'
import type { PlannedRequest } from '../load/arrivals.js'
import { type Arm, type BlockResult, type BlockSetup, runBlock } from './block.js'

/** What is compared. */
export interface TrialSetup extends Omit<BlockSetup, 'requests'> {
  /** The first is the one that the others are judged by. */
  readonly arms: readonly Arm[]
  readonly rounds: number
  /** The load of a round, the same for all arms. */
  readonly requestsOf: (round: number) => readonly PlannedRequest[]
}

/** How a trial is watched and stopped. */
export interface TrialHooks {
  /** `blocks`: those that are done, of `rounds` times the number of arms; the one that runs now counts as far as it got */
  readonly onProgress: (progress: { readonly blocks: number; readonly arm: string; readonly round: number }) => void
  /** Told what each block came to. */
  readonly onBlock?: (result: BlockResult) => void
  readonly signal: AbortSignal
}

/**
 * Runs every arm in every round, one after the other on the same machine, each round in the opposite order of the last: what changes
 * slowly on the machine meets all of them.
 *
 * @throws {ConfigError} `config_invalid`; {AdapterError} what a block says; the signal's reason
 */
export async function runArms(setup: TrialSetup, hooks: TrialHooks): Promise<BlockResult[]> {
  const { arms, rounds, requestsOf, ...rest } = setup
  if (arms.length === 0 || !(rounds >= 1))
    throw new ConfigError('config_invalid', `trial: there must be an arm and a round, got ${arms.length} and ${rounds}`)
  const results: BlockResult[] = []
  for (let round = 0; round < rounds; round++) {
    const requests = requestsOf(round)
    for (const arm of round % 2 === 0 ? arms : arms.toReversed()) {
      const blocks = results.length
      const tell = (done: number) =>
        hooks.onProgress({ blocks: blocks + done / Math.max(1, requests.length), arm: arm.name, round })
      tell(0)
      const result = await runBlock(arm, round, { ...rest, requests }, { onProgress: tell, signal: hooks.signal })
      results.push(result)
      hooks.onBlock?.(result)
    }
  }
  return results
}

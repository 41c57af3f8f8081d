import { pathToFileURL } from 'node:url'
import { createCore } from '@trimtab/core'
import {
  type ArmVerdict,
  type BlockResult,
  BURN_FUNCTION,
  DEMO_FUNCTIONS,
  demoRequests,
  doubtsOf,
  type MachineState,
  measureMachine,
  runArms,
  verdictsOf,
  whyTooBusy,
} from '@trimtab/local'
import type { Host } from '../host.js'
import { createProgress } from '../progress.js'
import { SCALINGS, type Scaling } from './scalings.js'

/** What a demo is made of. */
export interface DemoSettings {
  readonly arms: readonly Scaling[]
  readonly rounds: number
  /** Of a block's load. */
  readonly seconds: number
  readonly stepSeconds: number
  readonly seed: number
}

/** What was measured, and what may be said of it. */
export interface DemoReport {
  readonly settings: DemoSettings
  readonly machine: MachineState
  readonly blocks: readonly BlockResult[]
  /** Each arm beside the first. */
  readonly verdicts: readonly ArmVerdict[]
  /** Why there is no verdict; empty: there is one. */
  readonly doubts: readonly string[]
}

/** Measures on this machine how each scaling serves the same load, block after block. */
export async function runDemo(settings: DemoSettings, host: Host): Promise<DemoReport> {
  const { arms, rounds, seconds, stepSeconds, seed } = settings
  const { signal } = host
  const core = await createCore()
  const { main: work } = await import(pathToFileURL(BURN_FUNCTION).href)
  const machine = await measureMachine(work, signal)
  const busy = whyTooBusy(machine)
  if (busy) host.stderr.write(`machine too busy: no verdict (${busy}); measuring all the same\n`)
  const progress = createProgress(host, 's of load')
  try {
    const setup = {
      arms: arms.map((name) => ({ name, createRule: SCALINGS[name] })),
      ...{ functions: DEMO_FUNCTIONS, rounds, stepSeconds },
      requestsOf: (round: number) => demoRequests(core, seconds, seed + round, machine.roundsPerMs),
    }
    const total = arms.length * rounds * seconds
    const blocks = await runArms(setup, {
      signal,
      onProgress: ({ blocks, arm, round }) =>
        progress.update({ done: blocks * seconds, total, label: `${arm}, round ${round + 1} of ${rounds}` }),
    })
    const doubts = [...(busy ? [`machine too busy: ${busy}`] : []), ...doubtsOf(blocks)]
    return { settings, machine, blocks, verdicts: doubts.length > 0 ? [] : verdictsOf(blocks), doubts }
  } finally {
    progress.finish()
  }
}

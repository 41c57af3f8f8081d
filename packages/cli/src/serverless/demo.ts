import { pathToFileURL } from 'node:url'
import { createCore } from '@trimtab/core'
import {
  type ArmVerdict,
  type BlockResult,
  BURN_FUNCTION,
  DEMO_FUNCTIONS,
  DEMO_MEMORY_MIB,
  demoRequests,
  doubtsOf,
  type MachineState,
  MEMORY_MIB,
  measureMachine,
  runArms,
  verdictsOf,
  whyTooBusy,
} from '@trimtab/local'
import type { Host } from '../host.js'
import { createProgress } from '../progress.js'
import { createDecider, type Scaling } from './scalings.js'

/** What a demo is made of. */
export interface DemoSettings {
  readonly arms: readonly Scaling[]
  /** What decides where the arm is `learned`: that, or a policy file. */
  readonly policy: string
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
  const { arms, policy, rounds, seconds, stepSeconds, seed } = settings
  const { signal } = host
  const core = await createCore()
  const { main: work } = await import(pathToFileURL(BURN_FUNCTION).href)
  const machine = await measureMachine(work, signal)
  const busy = whyTooBusy(machine)
  if (busy) host.stderr.write(`machine too busy: no verdict (${busy}); measuring all the same\n`)
  const site = { memoryMiB: MEMORY_MIB, stepSeconds, largestContainerMiB: DEMO_MEMORY_MIB }
  const progress = createProgress(host, 's of load')
  try {
    const setup = {
      arms: arms.map((name) => ({
        name,
        createDecider: () => createDecider(name === 'learned' ? policy : name, site, host),
      })),
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

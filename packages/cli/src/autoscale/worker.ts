// The jobs that `trimtab autoscale` runs in worker threads: one core an instance, made once.
import { type Core, createCore } from '@trimtab/core'
import { runTrial, type TrialResult, type TrialSpec } from './trial.js'

let core: Promise<Core> | undefined

export async function trial(spec: TrialSpec): Promise<TrialResult> {
  core ??= createCore()
  return runTrial(await core, spec)
}

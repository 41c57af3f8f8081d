// Studies in worker threads: their results do not depend on how many.
import type { PretrainedModel } from '@trimtab/learn'
import { WorkerPool, WorkerShards } from '@trimtab/node'
import {
  type ArenaComparison,
  type AutoscalingComparison,
  type AutoscalingReport,
  type CompareOptions,
  type Comparison,
  compare,
  compareAutoscalers,
  compareTenants,
  type PoolSetup,
  type PretrainHooks,
  pretrain,
  SHARDS,
  type StudyProgress,
  type TenantsPlan,
} from '@trimtab/studies'
import type { ControlTask } from '@trimtab/tasks'

type Jobs = typeof import('./studies-jobs.js')

/** What a command hears of a study that runs elsewhere. */
export interface WorkerHooks {
  readonly onProgress: (progress: StudyProgress) => void
  readonly signal: AbortSignal
}

const jobs = (): URL => new URL('./studies-jobs.js', import.meta.url) // the same place beside the source and beside the build

/** `compareAutoscalers` on so many threads. */
export async function runAutoscaling(
  { workers, ...options }: AutoscalingComparison & { readonly workers: number },
  hooks: WorkerHooks,
): Promise<AutoscalingReport> {
  const pool = new WorkerPool<Jobs>({ module: jobs(), size: workers })
  try {
    const { signal } = hooks
    return await compareAutoscalers(options, {
      ...hooks,
      run: (spec, onPart) => pool.run('autoscalerCell', spec, { signal, onProgress: (part) => onPart(String(part)) }),
    })
  } finally {
    await pool.dispose()
  }
}

/** `compare` on so many threads. */
export async function runComparison(
  task: ControlTask,
  { workers, ...options }: CompareOptions & { readonly workers: number },
  hooks: WorkerHooks,
): Promise<Comparison> {
  const pool = new WorkerPool<Jobs>({ module: jobs(), size: workers })
  try {
    const { signal } = hooks
    return await compare(task, options, { ...hooks, run: (spec) => pool.run('trial', spec, { signal }) })
  } finally {
    await pool.dispose()
  }
}

/** `compareTenants` on so many threads. */
export async function runTenants(plan: TenantsPlan, workers: number, hooks: WorkerHooks): Promise<ArenaComparison[]> {
  const pool = new WorkerPool<Jobs>({ module: jobs(), size: workers })
  try {
    const { signal } = hooks
    return await compareTenants(plan, {
      ...hooks,
      rules: (spec) => pool.run('arenaRules', spec, { signal }),
      cell: (spec) => pool.run('tenantsCell', spec, { signal }),
    })
  } finally {
    await pool.dispose()
  }
}

/** `pretrain` on so many threads. */
export async function runPretraining(
  task: ControlTask,
  setup: PoolSetup,
  { workers, ...hooks }: PretrainHooks & { readonly workers: number },
): Promise<PretrainedModel> {
  const host = new WorkerShards<PoolSetup>({ module: jobs(), setup, shards: SHARDS, workers })
  try {
    return await pretrain(task, setup, { ...hooks, host })
  } finally {
    await host.dispose()
  }
}

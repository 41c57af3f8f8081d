import { WorkerPool } from '@trimtab/node'
import { compare } from './autoscale/index.js'
import type { ComparisonReport } from './autoscale/report-types.js'
import type { RunComparison } from './commands/autoscale.js'

/** The comparison on all the workers asked for; the result does not depend on how many. */
export const runComparison: RunComparison = async ({ workers, ...options }, hooks): Promise<ComparisonReport> => {
  const pool = new WorkerPool<typeof import('./autoscale/worker.js')>({
    module: new URL('./autoscale/worker.js', import.meta.url), // the same place beside the source and beside the build
    size: workers,
  })
  try {
    return await compare(options, { ...hooks, run: (spec) => pool.run('trial', spec, { signal: hooks.signal }) })
  } finally {
    await pool.dispose()
  }
}

// The job of the worker pool: one change of tenants.
import { createCore } from '@trimtab/core'
import { runChurnCell } from '@trimtab/studies'

const core = await createCore()

export const churnCell = (spec) => runChurnCell(core, spec)

// The job of the worker pool: one cell.
export { promiseCell } from '@trimtab/studies/jobs'

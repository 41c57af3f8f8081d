// Fairness: what each tenant has outstanding, in expected tokens. A request waits as if it had a share of that on top.
import * as abi from '../abi'
import { Queue } from './layout'

export function clearTenants(queue: Queue): void {
  memory.fill(queue.outstanding, 0, <usize>queue.tenants << 3)
}

// @ts-ignore: decorator
@inline export function outstandingOf(queue: Queue, tenant: i32): usize {
  return queue.outstanding + (<usize>tenant << 3)
}

export function enterTenant(queue: Queue, ticket: i32, tenant: i32, tokens: f64): void {
  store<i32>(queue.tenant + (<usize>ticket << 2), tenant)
  store<f64>(queue.tokens + (<usize>ticket << 3), tokens)
  const outstanding = outstandingOf(queue, tenant)
  store<f64>(outstanding, load<f64>(outstanding) + tokens)
}

export function leaveTenant(queue: Queue, ticket: i32): void {
  queue_finish(
    changetype<usize>(queue),
    load<i32>(queue.tenant + (<usize>ticket << 2)),
    load<f64>(queue.tokens + (<usize>ticket << 3)),
  )
}

/** So many of a tenant's expected tokens are no longer outstanding. OK, NOT_FINITE or OUT_OF_RANGE. */
export function queue_finish(block: usize, tenant: i32, tokens: f64): i32 {
  const queue = changetype<Queue>(block)
  if (!(tokens >= 0 && tokens < Infinity)) return abi.NOT_FINITE
  if (queue.fairness == 0) return abi.OK
  if (<u32>tenant >= <u32>queue.tenants) return abi.OUT_OF_RANGE
  const outstanding = outstandingOf(queue, tenant)
  store<f64>(outstanding, max(load<f64>(outstanding) - tokens, 0.0))
  return abi.OK
}

/** Expected tokens of a tenant that wait or run; 0 where there is no fairness. */
export function queue_outstanding(block: usize, tenant: i32): f64 {
  const queue = changetype<Queue>(block)
  if (queue.fairness == 0 || <u32>tenant >= <u32>queue.tenants) return 0
  return load<f64>(outstandingOf(queue, tenant))
}

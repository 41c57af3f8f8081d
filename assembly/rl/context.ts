// Context columns: what an encoder says of an application goes behind the state of each row of a batch, and what the loss
// says of those columns comes back as one row per group. FLASH, dissertation 5.4.3: the embedding joins any base learner's inputs.
//
// N: batch, G: groups, Z: context; contexts and slopes [G, Z] are dense; row i of a batch belongs to group groupOf[i], i32 [N]
import { Real, REAL } from '../math/real'
import { copyReals } from '../nn/mlp'

/** Fills Z columns of each row: columns[i] = contexts[groupOf[i]]. `columns` is where the first row's begin, `row` the bytes between rows. */
export function appendContexts(columns: usize, row: usize, contexts: usize, contextSize: i32, groupOf: usize, n: i32): void {
  const bytes = <usize>contextSize * REAL
  for (let i: usize = 0; i < <usize>n; i++, columns += row) {
    copyReals(columns, contexts + <usize>load<i32>(groupOf + (i << 2)) * bytes, contextSize)
  }
}

/** slopes [G, Z] = Σ of the rows of each group, in the order of the rows. */
export function sumContextSlopes(
  slopes: usize, groups: i32, columns: usize, row: usize, contextSize: i32, groupOf: usize, n: i32,
): void {
  const bytes = <usize>contextSize * REAL
  memory.fill(slopes, 0, <usize>groups * bytes)
  for (let i: usize = 0; i < <usize>n; i++, columns += row) {
    const sum = slopes + <usize>load<i32>(groupOf + (i << 2)) * bytes
    for (let j: usize = 0; j < bytes; j += REAL) store<Real>(sum + j, load<Real>(sum + j) + load<Real>(columns + j))
  }
}

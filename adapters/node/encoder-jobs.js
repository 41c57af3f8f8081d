// What EncoderThreads runs in its workers. Plain JavaScript beside `src` and `dist`, as worker.js is.
import { createCore, Gru } from '@trimtab/core'

/** The GRU that this thread holds, and what it was planned for. */
let gru
let plan

/**
 * The last `wanted` numbers of the final states [L·D, N, H] of a batch.
 * @param made  build, options and parameters of a GRU that this thread does not hold yet
 */
export async function finalStates({ made, batch, wanted }) {
  if (made) await hold(made)
  const states = new Float32Array(gru.units * batch.batch * plan.options.hiddenSize)
  gru.forward(batch, states)
  return states.slice(states.length - wanted)
}

/** Weights that are learned change often, what they are planned for never. */
async function hold({ parameters, ...planned }) {
  if (JSON.stringify(planned) !== JSON.stringify(plan)) {
    gru?.dispose()
    gru = new Gru(await createCore({ build: planned.build }), planned.options)
    plan = planned
  }
  gru.setParameters(parameters)
}

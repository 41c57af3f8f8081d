// One thread's part of an encoder's batches: what it is sent, and what it does with it.
import { createCore } from '../create-core.js'
import { Gru, type GruBatch, type GruOptions } from '../nn/gru.js'
import type { CoreBuild } from '../wasm.js'

/** A GRU as a thread makes it. */
export interface MadeGru {
  /** Two builds need not have the same bits. */
  readonly build: CoreBuild
  readonly options: GruOptions
  readonly parameters: Float32Array
}

/** Sequences for a thread. */
export interface EncoderRequest {
  /** Of a GRU that this thread does not hold yet. */
  readonly made?: MadeGru
  readonly batch: GruBatch
  /** The last so many numbers of the final states [L·D, N, H] are wanted. */
  readonly wanted: number
}

/** What a thread does: it answers one request after the other and keeps the GRU that it was last told of. */
export function encoderJob(): (request: EncoderRequest) => Promise<Float32Array<ArrayBuffer>> {
  let held: { readonly gru: Gru; readonly plan: string; readonly options: GruOptions } | undefined

  /** Weights that are learned change often, what they are planned for never. */
  async function hold({ parameters, ...planned }: MadeGru): Promise<void> {
    const plan = JSON.stringify(planned)
    if (plan !== held?.plan) {
      held?.gru.dispose()
      held = {
        gru: new Gru(await createCore({ build: planned.build }), planned.options),
        plan,
        options: planned.options,
      }
    }
    held.gru.setParameters(parameters)
  }

  return async ({ made, batch, wanted }) => {
    if (made) await hold(made)
    const { gru, options } = held!
    const states = new Float32Array(gru.units * batch.batch * options.hiddenSize)
    gru.forward(batch, states)
    return states.slice(states.length - wanted)
  }
}

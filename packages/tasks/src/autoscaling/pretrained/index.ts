import { WEIGHTS } from './weights.js'

/**
 * A pretrained policy for `autoscaling` with its embedding, for `readPretrained` of `@trimtab/learn`: taught on 200 simulated
 * applications (numbers 10,000 to 10,199 of the pool) by `scripts/pretrain-autoscaling.mjs`.
 *
 * @example
 * const model = readPretrained(pretrainedAutoscaling())
 */
export const pretrainedAutoscaling = (): Uint8Array => Uint8Array.from(atob(WEIGHTS), (letter) => letter.charCodeAt(0))

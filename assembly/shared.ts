// What every entry exports: free functions over i32, f32, f64 and usize, named family_verb. Zero imports.
// Pointers are byte offsets into the exported memory; callers own what memory_allocate gives them.
import { ABI_VERSION } from './abi'
import { REAL } from './math/real'

/** Saved states and callers compare this before anything else. */
export function abi_version(): i32 {
  return ABI_VERSION
}

/** Bytes of a network's number: 4; 8 in the build for finite differences. */
export function abi_real_bytes(): i32 {
  return <i32>REAL
}

export { memory_allocate, memory_release, memory_used } from './memory/arena'
export {
  math_cos,
  math_exp,
  math_log,
  math_log_gamma,
  math_pow,
  math_sigmoid,
  math_sin,
  math_tanh,
} from './math/special'
export {
  random_beta,
  random_exponential,
  random_fill_normal,
  random_fill_uniform,
  random_gamma,
  random_integer,
  random_normal,
  random_poisson,
  random_seed,
  random_uniform,
} from './random/xoshiro'

// Orthogonal first weights: Saxe et al. 2014; with gains √2 for hidden layers and a small one for a policy's outputs they are
// what PPO implementations start from (CleanRL, Stable-Baselines3).
import { Real, REAL } from '../math/real'
import { random_normal } from '../random/xoshiro'
import { Layer, layerOf, Net } from './mlp'

/** Each layer's weights get orthonormal rows or columns, whichever are fewer, times the gain; biases are 0. */
export function initialiseOrthogonal(net: Net, flat: usize, random: usize, hiddenGain: f64, outputGain: f64): void {
  for (let i = 0; i < net.layers; i++) {
    const layer = layerOf(net, i)
    const weights = flat + <usize>layer.weights * REAL
    for (let o = 0; o < layer.outputs; o++) {
      for (let k = 0; k < layer.inputs; k++) {
        store<Real>(weights + <usize>(k * layer.width + o) * REAL, <Real>random_normal(random))
      }
    }
    memory.fill(flat + <usize>layer.biases * REAL, 0, <usize>layer.width * REAL)
    orthogonalise(weights, layer, <Real>(i + 1 < net.layers ? hiddenGain : outputGain))
  }
}

/** Gram–Schmidt over W [in, padded(out)]; each vector goes through it twice, after which f32 has nothing left to correct. */
function orthogonalise(weights: usize, layer: Layer, gain: Real): void {
  const row = <usize>layer.width * REAL
  const byColumns = layer.outputs <= layer.inputs
  const count = <usize>(byColumns ? layer.outputs : layer.inputs)
  const length = <usize>(byColumns ? layer.inputs : layer.outputs)
  const vector = byColumns ? REAL : row
  const step = byColumns ? row : REAL
  for (let i: usize = 0; i < count; i++) {
    const own = weights + i * vector
    for (let pass = 0; pass < 2; pass++) {
      for (let j: usize = 0; j < i; j++) add(own, weights + j * vector, -dot(own, weights + j * vector, step, length), step, length)
      const scale = 1.0 / Math.sqrt(dot(own, own, step, length)) - 1.0
      add(own, own, scale, step, length)
    }
  }
  for (let i: usize = 0; i < count; i++) add(weights + i * vector, weights + i * vector, <f64>gain - 1.0, step, length)
}

function dot(a: usize, b: usize, step: usize, length: usize): f64 {
  let sum = 0.0
  for (let k: usize = 0; k < length * step; k += step) sum += <f64>load<Real>(a + k) * <f64>load<Real>(b + k)
  return sum
}

/** a += factor · b */
function add(a: usize, b: usize, factor: f64, step: usize, length: usize): void {
  for (let k: usize = 0; k < length * step; k += step) {
    store<Real>(a + k, <Real>(<f64>load<Real>(a + k) + factor * <f64>load<Real>(b + k)))
  }
}

// An epoch of PPO mini-batches on @tensorflow/tfjs; `tfjs.mjs` starts the backend.
import * as tf from '@tensorflow/tfjs-core'

/** layers: [{ w: Float32Array [out, in], b, inputs, outputs }] */
const variables = (layers) =>
  layers.flatMap(({ w, b, inputs, outputs }) => [
    tf.variable(tf.transpose(tf.tensor2d(w, [outputs, inputs]))),
    tf.variable(tf.tensor1d(b)),
  ])

function forward(net, x) {
  let y = x
  for (let i = 0; i < net.length; i += 2) {
    y = tf.add(tf.matMul(y, net[i]), net[i + 1])
    if (i + 2 < net.length) y = tf.tanh(y)
  }
  return y
}

/** [log π(a | s) [n], entropy [n]] of a categorical policy. */
function categorical(logits, actions, count) {
  const logs = tf.logSoftmax(logits)
  const chosen = tf.sum(tf.mul(logs, tf.oneHot(tf.cast(actions, 'int32'), count)), 1)
  return [chosen, tf.neg(tf.sum(tf.mul(tf.exp(logs), logs), 1))]
}

/** The same of a normal policy with one coordinate. */
function normal(means, actions, logDeviation) {
  const z = tf.div(tf.sub(actions, tf.squeeze(means, [1])), tf.exp(logDeviation))
  const chosen = tf.sub(tf.mul(-0.5, tf.square(z)), tf.add(logDeviation, 0.5 * Math.log(2 * Math.PI)))
  return [chosen, tf.add(logDeviation, 0.5 * Math.log(2 * Math.PI * Math.E))]
}

const normalised = (x, n) => {
  const { mean, variance } = tf.moments(x)
  return tf.div(tf.sub(x, mean), tf.add(tf.sqrt(tf.mul(variance, n / (n - 1))), 1e-8))
}

/** The rows of values [·, width] as a tensor. */
function rowsOf(values, rows, width) {
  const picked = new Float32Array(rows.length * width)
  for (const [i, row] of rows.entries()) picked.set(values.subarray(row * width, (row + 1) * width), i * width)
  return tf.tensor2d(picked, [rows.length, width])
}

/**
 * One mini-batch step on the rows of a rollout { states, globals, actions, old, advantages, returns }; returns the loss.
 * @param setup  { policy, value: layers, logDeviation (NaN: categorical), stateSize, globalSize (0: the critic sees no more), outputs, learningRate, clip, valueWeight, entropyWeight }
 */
export function tfjsPpo(setup) {
  const { stateSize, globalSize, outputs, clip, valueWeight, entropyWeight } = setup
  const [policy, value] = [variables(setup.policy), variables(setup.value)]
  const logDeviation = Number.isNaN(setup.logDeviation) ? undefined : tf.variable(tf.scalar(setup.logDeviation))
  const all = [...policy, ...value, ...(logDeviation ? [logDeviation] : [])]
  const adam = tf.train.adam(setup.learningRate)
  return (rollout, rows) =>
    tf.tidy(() => {
      const n = rows.length
      const column = (values) => tf.tensor1d(Float32Array.from(rows, (row) => values[row]))
      const x = rowsOf(rollout.states, rows, stateSize)
      const seen = globalSize === 0 ? x : tf.concat([x, rowsOf(rollout.globals, rows, globalSize)], 1)
      const [actions, old, returns] = [column(rollout.actions), column(rollout.old), column(rollout.returns)]
      const advantages = normalised(column(rollout.advantages), n)
      const loss = adam.minimize(
        () => {
          const y = forward(policy, x)
          const [chosen, entropy] = logDeviation ? normal(y, actions, logDeviation) : categorical(y, actions, outputs)
          const ratio = tf.exp(tf.clipByValue(tf.sub(chosen, old), -20, 20))
          const gain = tf.minimum(
            tf.mul(advantages, ratio),
            tf.mul(advantages, tf.clipByValue(ratio, 1 - clip, 1 + clip)),
          )
          const error = tf.sub(tf.squeeze(forward(value, seen), [1]), returns)
          return tf.addN([
            tf.neg(tf.mean(gain)),
            tf.mul(valueWeight, tf.mean(tf.square(error))),
            tf.mul(-entropyWeight, tf.mean(entropy)),
          ])
        },
        true,
        all,
      )
      return loss.dataSync()[0]
    })
}

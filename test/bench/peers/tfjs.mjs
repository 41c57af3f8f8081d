// The same DDPG update on @tensorflow/tfjs, wasm backend, one thread with SIMD.
// Node cannot load tfjs-core's gradients as they are published (imports without extensions): load-tfjs.mjs bundles this file.
import { setThreadsCount, setWasmPaths } from '@tensorflow/tfjs-backend-wasm'
import * as tf from '@tensorflow/tfjs-core'
import '@tensorflow/tfjs-core/dist/register_all_gradients'

export { tfjsPpo } from './tfjs-ppo.mjs'

/** @param wasmFolder  where tfjs-backend-wasm keeps its modules, with a slash at the end */
export async function startTfjs(wasmFolder) {
  setWasmPaths(wasmFolder)
  setThreadsCount(1)
  await tf.setBackend('wasm')
  await tf.ready()
}

/** layers: [{ w: Float32Array [out, in], b, inputs, outputs }] */
const variables = (layers) =>
  layers.flatMap(({ w, b, inputs, outputs }) => [
    tf.variable(tf.transpose(tf.tensor2d(w, [outputs, inputs]))),
    tf.variable(tf.tensor1d(b)),
  ])

function forward(net, x, last) {
  let y = x
  for (let i = 0; i < net.length; i += 2) {
    y = tf.add(tf.matMul(y, net[i]), net[i + 1])
    if (i + 2 < net.length) y = tf.relu(y)
    else if (last === 'tanh') y = tf.tanh(y)
  }
  return y
}

/** One update on a batch of arrays { states, actions, rewards, next, alive }; returns the critic's loss. */
export function tfjsDdpg({ actor, critic, stateSize, actionSize, batchSize, options }) {
  const [live, value] = [variables(actor), variables(critic)]
  const [targetActor, targetCritic] = [variables(actor), variables(critic)]
  const actorAdam = tf.train.adam(options.actorLearningRate)
  const criticAdam = tf.train.adam(options.criticLearningRate)
  const q = (net, states, actions) => forward(net, tf.concat([states, actions], 1), 'linear')
  const follow = (targets, sources) => {
    for (const [i, target] of targets.entries())
      target.assign(tf.add(target, tf.mul(options.targetRate, tf.sub(sources[i], target))))
  }
  return (batch) =>
    tf.tidy(() => {
      const states = tf.tensor2d(batch.states, [batchSize, stateSize])
      const actions = tf.tensor2d(batch.actions, [batchSize, actionSize])
      const next = tf.tensor2d(batch.next, [batchSize, stateSize])
      const future = q(targetCritic, next, forward(targetActor, next, 'tanh'))
      const alive = tf.tensor2d(batch.alive, [batchSize, 1])
      const goals = tf.add(tf.tensor2d(batch.rewards, [batchSize, 1]), tf.mul(options.discount, tf.mul(alive, future)))
      const loss = criticAdam.minimize(() => tf.mean(tf.square(tf.sub(q(value, states, actions), goals))), true, value)
      actorAdam.minimize(() => tf.neg(tf.mean(q(value, states, forward(live, states, 'tanh')))), false, live)
      follow(targetActor, live)
      follow(targetCritic, value)
      return loss.dataSync()[0]
    })
}

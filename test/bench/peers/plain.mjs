// The same work in plain JavaScript: typed arrays and loops, as one would write it without a core.

/** layers: [{ w: Float32Array [out, in], b, inputs, outputs }]; values of each layer for one row. */
export function plainNet(layers, last) {
  const values = layers.map(({ outputs }) => new Float32Array(outputs))
  const deltas = layers.map(({ outputs }) => new Float32Array(outputs))
  const gradients = layers.map(({ w, b }) => ({ w: new Float32Array(w.length), b: new Float32Array(b.length) }))
  const input = new Float32Array(layers[0].inputs)
  let seen = input

  function forward(x) {
    seen = x
    let below = x
    for (let l = 0; l < layers.length; l++) {
      const { w, b, inputs, outputs } = layers[l]
      const y = values[l]
      for (let o = 0; o < outputs; o++) {
        let sum = b[o]
        for (let k = 0; k < inputs; k++) sum += w[o * inputs + k] * below[k]
        y[o] = l + 1 < layers.length ? Math.max(0, sum) : last === 'tanh' ? Math.tanh(sum) : sum
      }
      below = y
    }
    return below
  }

  /** After `forward`: adds the gradients of dy · y where `accumulate`, returns dx. */
  function backward(dy, dx, accumulate) {
    for (let l = layers.length - 1; l >= 0; l--) {
      const { w, inputs, outputs } = layers[l]
      const below = l > 0 ? values[l - 1] : seen
      const delta = deltas[l]
      for (let o = 0; o < outputs; o++) {
        const y = values[l][o]
        const slope = l + 1 < layers.length ? (y > 0 ? 1 : 0) : last === 'tanh' ? 1 - y * y : 1
        delta[o] = (l === layers.length - 1 ? dy[o] : delta[o]) * slope
        if (accumulate) {
          gradients[l].b[o] += delta[o]
          for (let k = 0; k < inputs; k++) gradients[l].w[o * inputs + k] += delta[o] * below[k]
        }
      }
      const lower = l > 0 ? deltas[l - 1] : dx
      if (!lower) return
      lower.fill(0)
      for (let o = 0; o < outputs; o++) for (let k = 0; k < inputs; k++) lower[k] += delta[o] * w[o * inputs + k]
    }
  }

  return { layers, gradients, forward, backward }
}

function adam(net, learningRate) {
  const blocks = net.layers.flatMap((layer, l) =>
    ['w', 'b'].map((name) => ({ x: layer[name], g: net.gradients[l][name] })),
  )
  const moments = blocks.map(({ x }) => ({ m: new Float32Array(x.length), v: new Float32Array(x.length) }))
  let t = 0
  return () => {
    t++
    const rate = learningRate / (1 - 0.9 ** t)
    const root = 1 / Math.sqrt(1 - 0.999 ** t)
    for (const [i, { x, g }] of blocks.entries()) {
      const { m, v } = moments[i]
      for (let j = 0; j < x.length; j++) {
        m[j] = 0.9 * m[j] + 0.1 * g[j]
        v[j] = 0.999 * v[j] + 0.001 * g[j] * g[j]
        x[j] -= (rate * m[j]) / (Math.sqrt(v[j]) * root + 1e-8)
        g[j] = 0
      }
    }
  }
}

const copy = (layers) => layers.map((layer) => ({ ...layer, w: layer.w.slice(), b: layer.b.slice() }))

function follow(targets, sources, rate) {
  for (const [l, target] of targets.entries()) {
    for (const name of ['w', 'b']) {
      const [to, from] = [target[name], sources[l][name]]
      for (let j = 0; j < to.length; j++) to[j] += rate * (from[j] - to[j])
    }
  }
}

/** One update on a batch of arrays { states, actions, rewards, next, alive }; returns the critic's loss. */
export function plainDdpg({ actor, critic, stateSize, actionSize, batchSize, options }) {
  const [live, value] = [plainNet(copy(actor), 'tanh'), plainNet(copy(critic), 'linear')]
  const [targetActor, targetCritic] = [plainNet(copy(actor), 'tanh'), plainNet(copy(critic), 'linear')]
  const [stepActor, stepCritic] = [adam(live, options.actorLearningRate), adam(value, options.criticLearningRate)]
  const input = new Float32Array(stateSize + actionSize)
  const [slope, dx] = [new Float32Array(1), new Float32Array(stateSize + actionSize)]
  const row = (array, i, width) => array.subarray(i * width, (i + 1) * width)
  const at = (state, action) => {
    input.set(state)
    input.set(action, stateSize)
    return input
  }
  return ({ states, actions, rewards, next, alive }) => {
    let loss = 0
    for (let i = 0; i < batchSize; i++) {
      const s2 = row(next, i, stateSize)
      const goal = rewards[i] + options.discount * alive[i] * targetCritic.forward(at(s2, targetActor.forward(s2)))[0]
      const error = value.forward(at(row(states, i, stateSize), row(actions, i, actionSize)))[0] - goal
      loss += (error * error) / batchSize
      slope[0] = (2 * error) / batchSize
      value.backward(slope, undefined, true)
    }
    stepCritic()
    slope[0] = -1 / batchSize
    for (let i = 0; i < batchSize; i++) {
      const s = row(states, i, stateSize)
      value.forward(at(s, live.forward(s)))
      value.backward(slope, dx, false)
      live.backward(dx.subarray(stateSize), undefined, true)
    }
    stepActor()
    follow(targetActor.layers, live.layers, options.targetRate)
    follow(targetCritic.layers, value.layers, options.targetRate)
    return loss
  }
}

/** C [m, n] = A [m, k] · B [k, n], in the loop order that reads straight on. */
export function plainMatMul(a, b, c, m, n, k) {
  c.fill(0)
  for (let i = 0; i < m; i++) {
    for (let t = 0; t < k; t++) {
      const x = a[i * k + t]
      for (let j = 0; j < n; j++) c[i * n + j] += x * b[t * n + j]
    }
  }
  return c
}

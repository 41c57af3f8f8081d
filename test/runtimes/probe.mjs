// What must be the same on every runtime, as hashes. Only the language, WebAssembly and WebCrypto are used here.
import { createCore, Random } from '@trimtab/core'

const SEED = 20_260
const DRAWS = 1000

async function sha256(view) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Every distribution of `Random`, interleaved, and the state it ends in. */
function drawRandom(core) {
  const random = new Random(core, SEED, 1)
  const draws = []
  for (let i = 0; i < DRAWS; i++) {
    draws.push(random.uniform(), random.integer(i + 1), random.normal(), random.exponential(2))
    draws.push(random.gamma(0.5 + i / 100), random.beta(2, 5), random.poisson(i / 10))
  }
  draws.push(...random.save())
  return Float64Array.from(draws)
}

function evaluateMath({ math }) {
  const values = []
  for (let i = -DRAWS; i <= DRAWS; i++) {
    const x = i / 37
    values.push(math.exp(x), math.tanh(x), math.sigmoid(x), math.sin(x), math.cos(x))
    values.push(math.log(Math.abs(x) + 1e-3), math.logGamma(Math.abs(x) + 1e-3), math.pow(Math.abs(x) + 1e-3, 1.7))
  }
  return Float64Array.from(values)
}

async function probeBuild(build) {
  const core = await createCore({ build })
  return {
    random: await sha256(drawRandom(core)),
    math: await sha256(evaluateMath(core)),
  }
}

/** @returns the hashes of both reproducible builds */
export const probe = async () => ({ simd: await probeBuild('simd'), scalar: await probeBuild('scalar') })

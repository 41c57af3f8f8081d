import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Activation, type Core, createCore, Mlp, Random } from '../../src/index.js'
import { centralDifferences, type Real64, relativeGap, startReal64, wave } from '../builds.js'
import { runTwin, toTwin } from '../twins.js'

let simd: Core
let scalar: Core
let real64: Real64
beforeAll(async () => {
  simd = await createCore({ build: 'simd' })
  scalar = await createCore({ build: 'scalar' })
  real64 = await startReal64()
})

const KINDS: readonly Activation[] = ['linear', 'relu', 'tanh', 'sigmoid']

const shapes = fc.record({
  sizes: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 2, maxLength: 4 }),
  kind: fc.constantFrom(...KINDS),
  batch: fc.integer({ min: 1, max: 11 }),
  seed: fc.integer({ min: 0, max: 1000 }),
})

function build(core: Core, sizes: number[], kind: Activation, batch: number, seed: number): Mlp {
  const random = new Random(core, seed)
  const net = new Mlp(core, { sizes, activations: sizes.slice(1).map(() => kind), maxBatch: batch, random })
  random.dispose()
  return net
}

/** Everything a net computes for one batch. */
function run(core: Core, sizes: number[], kind: Activation, batch: number, seed: number): Float32Array[] {
  const net = build(core, sizes, kind, batch, seed)
  const x = Float32Array.from(wave(batch * sizes[0]!, seed))
  const y = new Float32Array(batch * sizes.at(-1)!)
  const dx = new Float32Array(x.length)
  net.forwardBatch(x, y, batch)
  net.backward(Float32Array.from(wave(y.length, seed + 1)), batch, dx)
  const results = [net.parameters(), y, net.gradients(), dx]
  net.dispose()
  return results
}

describe('Mlp', () => {
  it('agrees with the slow twin for any shape, activation and batch', () => {
    fc.assert(
      fc.property(shapes, ({ sizes, kind, batch, seed }) => {
        const net = build(simd, sizes, kind, batch, seed)
        const twin = toTwin(sizes, net.parameters())
        const x = Float32Array.from(wave(batch * sizes[0]!, seed))
        const y = new Float32Array(batch * sizes.at(-1)!)
        net.forwardBatch(x, y, batch)
        net.dispose()
        const rows = Array.from({ length: batch }, (_, i) => [...x.subarray(i * sizes[0]!, (i + 1) * sizes[0]!)])
        const expected = rows.flatMap((row) =>
          runTwin(
            twin,
            sizes.slice(1).map(() => kind),
            row,
          ),
        )
        // f32 sums of at most 50 products of numbers below 1
        for (const [i, value] of expected.entries())
          expect(Math.abs(y[i]! - value)).toBeLessThan(2e-5 * (1 + Math.abs(value)))
      }),
    )
  })

  it('gives the same bits from the scalar and the SIMD build, gradients included', () => {
    fc.assert(
      fc.property(shapes, ({ sizes, kind, batch, seed }) => {
        expect(run(scalar, sizes, kind, batch, seed)).toEqual(run(simd, sizes, kind, batch, seed))
      }),
    )
  })

  it('gives the same bits for a row alone and in a batch', () => {
    fc.assert(
      fc.property(shapes, ({ sizes, kind, batch, seed }) => {
        const net = build(simd, sizes, kind, batch, seed)
        const [inputs, outputs] = [sizes[0]!, sizes.at(-1)!]
        const x = Float32Array.from(wave(batch * inputs, seed))
        const y = new Float32Array(batch * outputs)
        net.forwardBatch(x, y, batch)
        const alone = new Float32Array(outputs)
        for (let i = 0; i < batch; i++) {
          net.forward(x.subarray(i * inputs, (i + 1) * inputs), alone)
          expect(alone).toEqual(y.slice(i * outputs, (i + 1) * outputs))
        }
        net.dispose()
      }),
    )
  })

  it.each(KINDS.map((kind) => [kind]))('has the gradients that central differences give: %s', (kind) => {
    const sizes = [5, 9, 7, 3]
    const batch = 6
    const e = real64.exports
    const net = real64.allocate(e.mlp_net_bytes(3))
    e.mlp_plan(net, 3, real64.words(sizes), real64.words([0, 0, 0].map(() => KINDS.indexOf(kind))), batch)
    const count = e.mlp_canonical(net)
    const [flat, gradients] = [real64.allocate(e.mlp_flat_bytes(net)), real64.allocate(e.mlp_flat_bytes(net))]
    const [canonical, workspace] = [real64.allocate(8 * count), real64.allocate(e.mlp_workspace_bytes(net))]
    const inputs = wave(batch * 5, 3)
    const weights = wave(batch * 3, 4) // loss = Σ weights · y
    const [x, y] = [real64.put(inputs), real64.allocate(8 * batch * 3)]
    const [dy, dx] = [real64.put(weights), real64.allocate(8 * batch * 5)]
    const loss = (parameters: Float64Array, values: Float64Array): number => {
      real64.f64(canonical, count).set(parameters)
      e.mlp_convert(net, flat, canonical, 1)
      real64.f64(x, values.length).set(values)
      e.mlp_forward(net, flat, x, y, batch, workspace)
      return real64.f64(y, batch * 3).reduce((sum, value, i) => sum + weights[i]! * value, 0)
    }
    const parameters = wave(count, 5)
    loss(parameters, inputs)
    e.mlp_backward(net, flat, x, dy, batch, workspace, gradients, dx)
    e.mlp_convert(net, gradients, canonical, 0)
    const byParameters = real64.f64(canonical, count).slice()
    const byInputs = real64.f64(dx, batch * 5).slice()
    // A central difference of step 1e-6 in f64 is good to about 1e-9.
    expect(
      relativeGap(
        byParameters,
        centralDifferences(parameters, (p) => loss(p, inputs)),
      ),
    ).toBeLessThan(1e-7)
    expect(
      relativeGap(
        byInputs,
        centralDifferences(inputs, (values) => loss(parameters, values)),
      ),
    ).toBeLessThan(1e-7)
  })

  it('adds up gradients until they are cleared', () => {
    const net = build(simd, [3, 5, 2], 'tanh', 4, 1)
    const x = Float32Array.from(wave(12))
    const dy = Float32Array.from(wave(8, 2))
    const pass = (): Float32Array => {
      net.forwardBatch(x, new Float32Array(8), 4)
      net.backward(dy, 4)
      return net.gradients()
    }
    const once = pass()
    const twice = pass()
    expect(
      relativeGap(
        twice,
        once.map((value) => 2 * value),
      ),
    ).toBeLessThan(1e-6)
    net.clearGradients()
    expect(pass()).toEqual(once)
  })

  it('starts uniform in ±1/sqrt(in) like PyTorch, the same for the same seed', () => {
    const parameters = build(simd, [16, 200], 'relu', 1, 3).parameters()
    expect(parameters).toEqual(build(simd, [16, 200], 'relu', 1, 3).parameters())
    const largest = Math.max(...parameters.map(Math.abs))
    expect(largest).toBeLessThanOrEqual(0.25)
    expect(largest).toBeGreaterThan(0.24)
    expect(Math.abs(parameters.reduce((a, b) => a + b, 0) / parameters.length)).toBeLessThan(0.01) // 4 standard errors
  })

  it('returns the parameters that it was given', () => {
    const net = build(simd, [3, 9, 2], 'relu', 1, 0)
    const parameters = Float32Array.from(wave(net.parameterCount, 9))
    net.setParameters(parameters)
    expect(net.parameters()).toEqual(parameters)
  })

  it.each([
    ['a short state', (net: Mlp) => net.forward(new Float32Array(2), new Float32Array(2)), 'size_mismatch'],
    ['a long output', (net: Mlp) => net.forward(new Float32Array(3), new Float32Array(3)), 'size_mismatch'],
    ['too many rows', (net: Mlp) => net.forwardBatch(new Float32Array(15), new Float32Array(10), 5), 'size_mismatch'],
    ['a backward without a forward', (net: Mlp) => net.backward(new Float32Array(4), 2), 'size_mismatch'],
    ['parameters of another size', (net: Mlp) => net.setParameters(new Float32Array(3)), 'size_mismatch'],
    ['NaN parameters', (net: Mlp) => net.setParameters(net.parameters().fill(NaN, 3, 4)), 'not_finite'],
  ] as const)('refuses %s', (_, act, code) => {
    const net = build(simd, [3, 4, 2], 'relu', 4, 0)
    const before = net.parameters()
    expect(() => act(net)).toThrow(expect.objectContaining({ code }))
    expect(net.parameters()).toEqual(before)
  })

  it('names every problem of its options at once', () => {
    expect(() => new Mlp(simd, { sizes: [3, 0], activations: [], maxBatch: 0 })).toThrow(
      /sizes must hold.*maxBatch must be.*activations must be one/,
    )
  })
})

import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Core, createCore, Gru, Random } from '../../src/index.js'
import { centralDifferences, type Real64, relativeGap, startReal64, wave } from '../builds.js'
import { type GruShape, runGruTwin } from './gru-twin.js'

let simd: Core
let scalar: Core
let real64: Real64
beforeAll(async () => {
  simd = await createCore({ build: 'simd' })
  scalar = await createCore({ build: 'scalar' })
  real64 = await startReal64()
})

interface Case extends GruShape {
  readonly lengths: number[]
  readonly seed: number
}

const cases: fc.Arbitrary<Case> = fc.record({
  inputSize: fc.integer({ min: 1, max: 18 }),
  hiddenSize: fc.integer({ min: 1, max: 18 }),
  layers: fc.integer({ min: 1, max: 3 }),
  bidirectional: fc.boolean(),
  lengths: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 6 }),
  seed: fc.integer({ min: 0, max: 1000 }),
})

function build(core: Core, { lengths, seed, ...shape }: Case): Gru {
  const random = new Random(core, seed)
  const gru = new Gru(core, { ...shape, maxBatch: lengths.length, maxSteps: Math.max(...lengths), random })
  random.dispose()
  return gru
}

/** Everything a GRU computes for one batch whose padding is NaN. */
function run(core: Core, of: Case): Record<'last' | 'y' | 'gradients' | 'dx' | 'dInitial', Float32Array> {
  const gru = build(core, of)
  const [n, steps] = [of.lengths.length, Math.max(...of.lengths)]
  const width = (of.bidirectional ? 2 : 1) * of.hiddenSize
  const x = inputsOf(of)
  const last = new Float32Array(gru.units * n * of.hiddenSize)
  const y = new Float32Array(n * steps * width)
  gru.forward({ x, batch: n, steps, lengths: Int32Array.from(of.lengths) }, last)
  gru.outputs(y)
  const dx = new Float32Array(x.length)
  const dInitial = new Float32Array(last.length)
  const outputs = Float32Array.from(wave(y.length, of.seed + 1))
  gru.backward({ outputs, finalStates: Float32Array.from(wave(last.length, of.seed + 2)) }, { dx, dInitial })
  const gradients = gru.gradients()
  gru.dispose()
  return { last, y, gradients, dx, dInitial }
}

function inputsOf({ inputSize, lengths, seed }: Case): Float32Array {
  const steps = Math.max(...lengths)
  const x = Float32Array.from(wave(lengths.length * steps * inputSize, seed))
  for (const [i, length] of lengths.entries())
    x.fill(NaN, (i * steps + length) * inputSize, (i + 1) * steps * inputSize)
  return x
}

describe('Gru', () => {
  it('agrees with the slow twin for any shape and lengths; what lies behind a sequence is never read', () => {
    fc.assert(
      fc.property(cases, (of) => {
        const { last, y } = run(simd, of)
        const parameters = build(simd, of).parameters()
        const [n, steps] = [of.lengths.length, Math.max(...of.lengths)]
        const width = (of.bidirectional ? 2 : 1) * of.hiddenSize
        const x = inputsOf(of)
        for (const [i, length] of of.lengths.entries()) {
          const sequence = Array.from({ length }, (_, t) => {
            const at = (i * steps + t) * of.inputSize
            return [...x.subarray(at, at + of.inputSize)]
          })
          const twin = runGruTwin(of, parameters, sequence)
          const outputs = [...twin.outputs.flat(), ...new Array<number>((steps - length) * width).fill(0)]
          const got = y.subarray(i * steps * width, (i + 1) * steps * width)
          for (const [k, value] of outputs.entries()) expect(Math.abs(got[k]! - value)).toBeLessThan(3e-6)
          for (const [unit, state] of twin.finalStates.entries()) {
            for (const [k, value] of state.entries())
              expect(Math.abs(last[(unit * n + i) * of.hiddenSize + k]! - value)).toBeLessThan(3e-6)
          }
        }
      }),
    )
  })

  it('gives the same bits from the scalar and the SIMD build, gradients included', () => {
    fc.assert(
      fc.property(cases, (of) => {
        expect(run(scalar, of)).toEqual(run(simd, of))
      }),
    )
  })

  it('gives the same bits for a sequence alone and in a batch', () => {
    fc.assert(
      fc.property(cases, (of) => {
        const { last } = run(simd, of)
        const n = of.lengths.length
        const steps = Math.max(...of.lengths)
        const x = inputsOf(of)
        const gru = build(simd, of)
        const alone = new Float32Array(gru.units * of.hiddenSize)
        for (const [i, length] of of.lengths.entries()) {
          const at = i * steps * of.inputSize
          gru.forward({ x: x.slice(at, at + length * of.inputSize), batch: 1, steps: length }, alone)
          for (let unit = 0; unit < gru.units; unit++) {
            const from = (unit * n + i) * of.hiddenSize
            expect(last.slice(from, from + of.hiddenSize)).toEqual(
              alone.slice(unit * of.hiddenSize, (unit + 1) * of.hiddenSize),
            )
          }
        }
        gru.dispose()
      }),
    )
  })

  it.each([
    ['one layer', 1, 1, [4, 4, 4]],
    ['two layers both ways, of different lengths', 2, 2, [4, 1, 3]],
  ] as const)('has the gradients that central differences give: %s', (_, layers, directions, lengths) => {
    const [I, H, N, T] = [3, 5, 3, 4]
    const e = real64.exports
    const gru = real64.allocate(e.gru_plan_bytes())
    e.gru_plan(gru, I, H, layers, directions, N, T)
    const count = e.gru_canonical(gru)
    const states = layers * directions * N * H
    const outputs = N * T * directions * H
    const [flat, gradients] = [real64.allocate(e.gru_flat_bytes(gru)), real64.allocate(e.gru_flat_bytes(gru))]
    const [canonical, workspace] = [real64.allocate(8 * count), real64.allocate(e.gru_workspace_bytes(gru))]
    const lengthsAt = real64.words(lengths)
    const parts = { parameters: wave(count, 5), x: wave(N * T * I, 3), first: wave(states, 7) }
    const weights = { y: wave(outputs, 4), last: wave(states, 6) } // loss = Σ weights · (outputs, final states)
    const at = { x: real64.put(parts.x), first: real64.put(parts.first), last: real64.allocate(8 * states) }
    const y = real64.allocate(8 * outputs)
    const loss = (changed: Partial<typeof parts>): number => {
      const { parameters, x, first } = { ...parts, ...changed }
      real64.f64(canonical, count).set(parameters)
      e.gru_convert(gru, flat, canonical, 1)
      real64.f64(at.x, x.length).set(x)
      real64.f64(at.first, first.length).set(first)
      e.gru_forward(gru, flat, at.x, N, T, lengthsAt, at.first, at.last, workspace)
      e.gru_outputs(gru, N, T, y, workspace)
      const sum = (values: Float64Array, by: Float64Array): number => values.reduce((s, v, i) => s + v * by[i]!, 0)
      return sum(real64.f64(y, outputs), weights.y) + sum(real64.f64(at.last, states), weights.last)
    }
    loss({})
    const [dx, dFirst] = [real64.allocate(8 * parts.x.length), real64.allocate(8 * states)]
    const [dy, dLast] = [real64.put(weights.y), real64.put(weights.last)]
    e.gru_backward(gru, flat, N, T, lengthsAt, dy, dLast, gradients, dx, dFirst, workspace)
    e.gru_convert(gru, gradients, canonical, 0)
    const got = {
      parameters: real64.f64(canonical, count).slice(),
      x: real64.f64(dx, parts.x.length).slice(),
      first: real64.f64(dFirst, states).slice(),
    }
    // A central difference of step 1e-6 in f64 is good to about 1e-9.
    for (const name of ['parameters', 'x', 'first'] as const) {
      const differences = centralDifferences(parts[name], (values) => loss({ [name]: values }))
      expect(relativeGap(got[name], differences), name).toBeLessThan(1e-7)
    }
  })

  it('starts uniform in ±1/sqrt(hidden) like PyTorch and returns the parameters that it was given', () => {
    const gru = build(simd, { inputSize: 3, hiddenSize: 16, layers: 2, bidirectional: true, lengths: [1], seed: 3 })
    const largest = Math.max(...gru.parameters().map(Math.abs))
    expect(largest).toBeLessThanOrEqual(0.25)
    expect(largest).toBeGreaterThan(0.24)
    const parameters = Float32Array.from(wave(gru.parameterCount, 9))
    gru.setParameters(parameters)
    expect(gru.parameters()).toEqual(parameters)
  })

  it.each([
    [
      'too many sequences',
      (gru: Gru) => gru.forward({ x: new Float32Array(18), batch: 3, steps: 2 }, new Float32Array(12)),
    ],
    ['too many steps', (gru: Gru) => gru.forward({ x: new Float32Array(12), batch: 1, steps: 4 }, new Float32Array(4))],
    ['a short input', (gru: Gru) => gru.forward({ x: new Float32Array(5), batch: 1, steps: 2 }, new Float32Array(4))],
    [
      'a length of nothing',
      (gru: Gru) =>
        gru.forward({ x: new Float32Array(6), batch: 1, steps: 2, lengths: Int32Array.of(0) }, new Float32Array(4)),
    ],
    ['a backward without a forward', (gru: Gru) => gru.backward({})],
  ] as const)('refuses %s', (_, act) => {
    const gru = new Gru(simd, { inputSize: 3, hiddenSize: 4, maxBatch: 2, maxSteps: 3 })
    expect(() => act(gru)).toThrow(expect.objectContaining({ code: 'size_mismatch' }))
  })

  it('names every problem of its options at once', () => {
    expect(() => new Gru(simd, { inputSize: 0, hiddenSize: -1, maxSteps: 0.5 })).toThrow(
      /inputSize must be.*hiddenSize must be.*maxSteps must be/,
    )
  })
})

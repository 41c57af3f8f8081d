import { type Core, doubleTensor, FormatError, RunningMoments, type Tensor, type TensorReader } from '@trimtab/core'

const PREFIX = 'normaliser.'

/** What a normaliser knows of its S observations. */
export interface NormaliserMoments {
  /** Observations seen. */
  readonly count: number
  /** [S] */
  readonly mean: Float64Array
  /** [S] */
  readonly variance: Float64Array
}

/**
 * The moments that `ObservationNormaliser.save` wrote.
 * @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`, `normaliser_invalid`
 */
export function readMoments(reader: TensorReader, size: number): NormaliserMoments {
  const [count] = reader.doubles(`${PREFIX}count`, 1)
  const mean = reader.doubles(`${PREFIX}mean`, size)
  const variance = reader.doubles(`${PREFIX}variance`, size)
  if (!(count! >= 0) || variance.some((value) => value < 0)) {
    throw new FormatError('normaliser_invalid', 'the saved normaliser has a negative count or variance: it is damaged')
  }
  return { count: count!, mean, variance }
}

/**
 * Brings observations to mean 0 and deviation 1, cut at ±10 deviations, by the moments of the first `steps` of them.
 *
 * Then the moments stay as they are. Moments that kept running would follow the policy's own changes and make what the
 * replay holds stale: on the toy task of the tests that takes a reward of 0.99 a step down to between 0.7 and 0.95.
 */
export class ObservationNormaliser {
  readonly #moments: RunningMoments
  readonly #steps: number

  constructor(core: Core, size: number, steps: number) {
    this.#moments = new RunningMoments(core, size)
    this.#steps = steps
  }

  /** Whether enough was seen: from here on nothing changes. */
  get isCalibrated(): boolean {
    return this.#moments.count >= this.#steps
  }

  /** Fills `out` [S] and returns it; allocates nothing. What is not finite becomes NaN rather than a cut value. */
  normalise(observation: Float32Array, out: Float32Array): Float32Array {
    this.#moments.normalise(observation, out)
    for (let i = 0; i < out.length; i++) if (!Number.isFinite(observation[i]!)) out[i] = Number.NaN
    return out
  }

  /** Counts observations [rows, S] in, before the calibration is over. @throws {ConfigError} `size_mismatch`, `not_finite`; nothing changed */
  update(observations: Float32Array, rows = 1): void {
    this.#moments.update(observations, rows)
  }

  /** Its moments, with the tensors' names prefixed. */
  save(): Tensor[] {
    return this.#moments.save().map((tensor) => ({ ...tensor, name: PREFIX + tensor.name }))
  }

  /**
   * Continues where `save` was called; the returned function applies the state and cannot fail.
   * @throws {FormatError} those of `readMoments`
   */
  load(reader: TensorReader): () => void {
    const moments = readMoments(reader, this.#moments.size)
    return () => this.set(moments)
  }

  /**
   * Replaces its moments.
   * @throws {FormatError} for moments of another size
   */
  set({ count, mean, variance }: NormaliserMoments): void {
    this.#moments.load([
      doubleTensor('count', [count]),
      doubleTensor('mean', [...mean]),
      doubleTensor('variance', [...variance]),
    ])
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#moments.dispose()
  }
}

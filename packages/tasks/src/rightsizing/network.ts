import { ConfigError, type Core, Random } from '@trimtab/core'
import { type Context, ContextEncoder, RegressorKernel } from '@trimtab/core/internal'
import { NetworkRows, type NetworkScale } from './network-rows.js'
import { checkSamples, type FitPredictor, type Prediction, type Predictor, type Sample } from './predictor.js'
import { type MeasuredWorkload, measuredOn, type RuntimeTable } from './runtime-table.js'
import { sampleOf } from './samples.js'

/** The net that turns a workload's labelled samples into an embedding. */
export interface EmbeddingOptions {
  /** Width of the net over each labelled sample. */
  readonly hiddenSize: number
  /** Z. */
  readonly size: number
}

/** The net that predicts runtimes, and how it learns. */
export interface NetworkOptions {
  readonly scale: NetworkScale
  /** Hidden widths, ReLU. */
  readonly hidden: readonly number[]
  readonly learningRate: number
  /** Where the network's rate falls to, evenly over all steps: small ones in the end average what samples differ by. */
  readonly finalLearningRate: number
  /** λ of L2: λ·w is added to every gradient of the network; never to the embedding's. */
  readonly weightDecay: number
  /** Times every measured runtime is predicted while learning, on average. */
  readonly epochs: number
  readonly batchSize: number
  /** Most samples that stand in the network's input; further ones reach it through the embedding only. */
  readonly maxBases: number
  /** FLASH: all samples of a workload become an embedding behind the input. Default: none. */
  readonly embedding?: EmbeddingOptions
}

const ROWS_OF_A_GROUP = 8

/**
 * A network that predicts runtimes from `maxBases` samples at most, with or without an embedding of all of them. It learns anew for
 * each number of samples that it is asked with, by giving itself the training workloads with as many.
 *
 * Source: dissertation 5.6.2, A.2.
 */
export function networkPredictor(options: NetworkOptions): FitPredictor {
  return (core, training, seed): Predictor => {
    const learned = new Map<number, Network>()
    return {
      predict(samples) {
        checkSamples(samples, training.configurations.length)
        const network = learned.get(samples.length) ?? new Network(core, training, options, samples.length, seed)
        learned.set(samples.length, network)
        return network.predict(samples)
      },
      dispose() {
        for (const network of learned.values()) network.dispose()
        learned.clear()
      },
    }
  }
}

/** A workload with what of it was measured. */
interface Pupil {
  readonly workload: MeasuredWorkload
  readonly measured: readonly number[]
}

class Network {
  readonly #core: Core
  readonly #table: RuntimeTable
  readonly #options: NetworkOptions
  readonly #rows: NetworkRows
  readonly #kernel: RegressorKernel
  readonly #encoder: ContextEncoder | undefined
  readonly #labels: number
  readonly #bases: number
  readonly #configurations: number

  constructor(core: Core, training: RuntimeTable, options: NetworkOptions, labels: number, seed: number) {
    const pupils = training.workloads
      .map((workload): Pupil => ({ workload, measured: measuredOn(workload) }))
      .filter(({ measured }) => measured.length > labels)
    if (pupils.length === 0)
      throw new ConfigError(
        'samples_invalid',
        `no workload of ${training.name} was measured on more than ${labels} configurations: give fewer samples, or another predictor`,
      )
    const { embedding, batchSize, hidden, learningRate, weightDecay, scale } = options
    this.#core = core
    this.#table = training
    this.#options = options
    this.#labels = labels
    this.#bases = Math.min(labels, options.maxBases)
    this.#configurations = training.configurations.length
    this.#rows = new NetworkRows(core, training, scale)
    const groups = Math.ceil(batchSize / ROWS_OF_A_GROUP)
    this.#kernel = new RegressorKernel(core, {
      featureSize: this.#rows.rowSize(this.#bases),
      contextSize: embedding?.size ?? 0,
      hidden,
      batchSize: Math.max(batchSize, this.#configurations),
      maxGroups: groups,
      loss: scale === 'log' ? 'log-mape' : 'mape',
      learningRate,
      weightDecay,
      seed,
    })
    this.#encoder =
      embedding &&
      new ContextEncoder(core, {
        kind: 'set',
        inputSize: this.#rows.sampleSize,
        hiddenSize: embedding.hiddenSize,
        dense: [embedding.size],
        maxContexts: groups,
        maxSequences: 1,
        maxSteps: labels,
        learningRate,
        seed,
      })
    this.#learn(pupils, seed)
  }

  predict(samples: readonly Sample[]): Prediction {
    const width = this.#kernel.options.featureSize
    const x = new Float32Array(this.#configurations * width)
    const bases = samples.slice(0, this.#bases)
    for (let c = 0; c < this.#configurations; c++) this.#rows.writeRow(bases, c, x, c * width)
    if (this.#encoder) {
      const z = new Float32Array(this.#encoder.embeddingSize)
      this.#encoder.encode([this.#contextOf(samples)], z)
      this.#kernel.setContext(z)
    }
    const out = new Float32Array(this.#configurations)
    this.#kernel.predict(x, out)
    return {
      seconds: Float64Array.from(out, (output) => this.#rows.secondsOf(output, samples[0]!)),
      deviation: new Float64Array(this.#configurations).fill(1),
    }
  }

  dispose(): void {
    this.#kernel.dispose()
    this.#encoder?.dispose()
  }

  /** Batches of groups: some rows of one workload each, all from the same samples. */
  #learn(pupils: readonly Pupil[], seed: number): void {
    const { batchSize, epochs, learningRate, finalLearningRate } = this.#options
    const cells = pupils.reduce((sum, { measured }) => sum + measured.length, 0)
    const random = new Random(this.#core, seed, 104)
    const width = this.#kernel.options.featureSize
    const x = new Float32Array(batchSize * width)
    const y = new Float32Array(batchSize)
    const groupOf = Int32Array.from(y, (_, row) => Math.floor(row / ROWS_OF_A_GROUP))
    const groups = groupOf.at(-1)! + 1
    const steps = Math.ceil((epochs * cells) / batchSize)
    for (let step = 0; step < steps; step++) {
      const contexts: Context[] = []
      for (let group = 0; group < groups; group++) {
        const { workload, measured } = pupils[random.integer(pupils.length)]!
        const order = partlyShuffled(random, measured, this.#labels)
        const samples = order.slice(0, this.#labels).map((c) => sampleOf(this.#table, workload, c))
        const bases = samples.slice(0, this.#bases)
        if (this.#encoder) contexts.push(this.#contextOf(samples))
        const end = Math.min(batchSize, (group + 1) * ROWS_OF_A_GROUP)
        for (let row = group * ROWS_OF_A_GROUP; row < end; row++) {
          const target = order[this.#labels + random.integer(order.length - this.#labels)]!
          this.#rows.writeRow(bases, target, x, row * width)
          y[row] = this.#rows.goalOf(workload.seconds[target]!, samples[0]!)
        }
      }
      this.#kernel.learningRate = learningRate + (finalLearningRate - learningRate) * (step / steps)
      if (this.#encoder) this.#kernel.learn(x, y, { groupOf, contexts, encoder: this.#encoder })
      else this.#kernel.learn(x, y)
    }
    random.dispose()
  }

  #contextOf(samples: readonly Sample[]): Context {
    const width = this.#rows.sampleSize
    const steps = new Float32Array(samples.length * width)
    for (const [i, sample] of samples.entries()) this.#rows.writeStep(sample, samples[0]!, steps, i * width)
    return { steps, lengths: Int32Array.of(samples.length) }
  }
}

/** The first `count` are a random choice, in random order. */
function partlyShuffled(random: Random, items: readonly number[], count: number): number[] {
  const mixed = [...items]
  for (let i = 0; i < count; i++) {
    const j = i + random.integer(mixed.length - i)
    const item = mixed[i]!
    mixed[i] = mixed[j]!
    mixed[j] = item
  }
  return mixed
}

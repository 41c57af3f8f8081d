// The fifteen models of Table 6.1, taken apart into operators by their published shapes and the roofs of the GPU.
//
// Sizes and latencies are the table's. Where they come from is not: "a single query with a sequence length of 512" fits a prompt
// of 512 tokens followed by 60 … 210 generated ones for every autoregressive model at the V100's single-precision roofs, so that
// many tokens are taken as a request of full length. The encoders' and ResNet's latencies are many times what one query costs at
// those roofs, in proportion to their arithmetic; they keep the table's latency, spread over their operators as the arithmetic is.
import type { GpuLaw, Work } from './gpu-law.js'
import type { OperatorCost, ServedModel } from './served-model.js'

const PROMPT_TOKENS = 512
const BYTES = 4 // single precision

interface TableRow {
  readonly name: string
  readonly sizeGb: number
  readonly latencyMs: number
  readonly isAutoregressive: boolean
  readonly layers: number
  readonly width: number
  readonly feedForward: number
  readonly vocabulary: number
}

function row(
  name: string,
  sizeGb: number,
  latencyMs: number,
  isAutoregressive: boolean,
  shape: readonly [number, number, number, number],
): TableRow {
  const [layers, width, feedForward, vocabulary] = shape
  return { name, sizeGb, latencyMs, isAutoregressive, layers, width, feedForward, vocabulary }
}

/** Name, size (GB) and latency (ms) as in Table 6.1; layers, width, feed-forward width and vocabulary as published. */
const TRANSFORMERS: readonly TableRow[] = [
  row('BERT-base', 0.5, 123, false, [12, 768, 3072, 30_522]),
  row('BERT-large', 1.4, 365, false, [24, 1024, 4096, 30_522]),
  row('RoBERTa-base', 0.5, 135, false, [12, 768, 3072, 50_265]),
  row('RoBERTa-large', 1.4, 382, false, [24, 1024, 4096, 50_265]),
  row('OPT-1.3b', 5, 1243, true, [24, 2048, 8192, 50_272]),
  row('OPT-2.7b', 10.4, 2351, true, [32, 2560, 10_240, 50_272]),
  row('GPT2-large', 3.3, 832, true, [36, 1280, 5120, 50_257]),
  row('GPT2-xl', 6.4, 1602, true, [48, 1600, 6400, 50_257]),
  row('CodeGen-350m', 1.3, 357, true, [20, 1024, 4096, 51_200]),
  row('CodeGen-2b', 8, 2507, true, [32, 2560, 10_240, 51_200]),
  row('Bloom-1b1', 4, 523, true, [24, 1536, 6144, 250_880]),
  row('Bloom-3b', 11, 1293, true, [30, 2560, 10_240, 250_880]),
  // Experts lie in memory, but a token passes one of them: the shape of T5-base, decoder with cross-attention counted as half a layer.
  row('Switch-base-16', 2.4, 348, true, [18, 768, 3072, 32_128]),
  row('Switch-base-32', 4.8, 402, true, [18, 768, 3072, 32_128]),
]

/** All models of Table 6.1 on a GPU. */
export function paperModels(law: GpuLaw): ServedModel[] {
  return [resnet50(law), ...TRANSFORMERS.map((shape) => transformer(law, shape))]
}

/** Floating-point operations and bytes moved of one operator. */
interface Cost {
  readonly flops: number
  readonly bytes: number
}

const NOTHING: Work = { fixedMs: 0, coreMs: 0, memoryMs: 0 }

function times(law: GpuLaw, { flops, bytes }: Cost, count = 1): Work {
  return {
    fixedMs: law.launchMs * count,
    coreMs: ((1000 * flops) / law.flopsPerSecond) * count,
    memoryMs: ((1000 * bytes) / law.bytesPerSecond) * count,
  }
}

/** y = x W for `tokens` rows: the weights are read once. */
const dense = (tokens: number, input: number, output: number): Cost => {
  return { flops: 2 * tokens * input * output, bytes: BYTES * (input * output + tokens * (input + output)) }
}
/** One pass over `values` numbers, read and written: norms, activations, additions. */
const elementwise = (values: number): Cost => ({ flops: 8 * values, bytes: 2 * BYTES * values })
const attention = (tokens: number, context: number, width: number): Cost => {
  return {
    flops: 4 * tokens * context * width,
    bytes: BYTES * (2 * context * width + 2 * tokens * width + tokens * context),
  }
}

interface Step {
  readonly kind: string
  /** Numbers that the operator keeps. */
  readonly weights: number
  readonly cost: (tokens: number) => Cost
}

function transformerSteps({ layers, width, feedForward, vocabulary }: TableRow, isAutoregressive: boolean): Step[] {
  const pass = (kind: string, each: number): Step => ({
    kind,
    weights: 0,
    cost: (tokens) => elementwise(tokens * each),
  })
  const matrix = (kind: string, input: number, output: number): Step => {
    return { kind, weights: input * output, cost: (tokens) => dense(tokens, input, output) }
  }
  const layer = [
    pass('norm', width),
    matrix('qkv', width, 3 * width),
    { kind: 'attention', weights: 0, cost: (tokens: number) => attention(tokens, PROMPT_TOKENS, width) },
    matrix('projection', width, width),
    pass('add', width),
    pass('norm', width),
    matrix('up', width, feedForward),
    pass('activation', feedForward),
    matrix('down', feedForward, width),
    pass('add', width),
  ]
  const embedding: Step = {
    kind: 'embedding',
    weights: vocabulary * width,
    cost: (tokens) => elementwise(tokens * width),
  }
  // Tied to the embedding: it keeps no weights of its own, but reads them for every token.
  const head: Step = { ...matrix('head', width, vocabulary), weights: 0 }
  return [
    embedding,
    ...Array.from({ length: layers }, () => layer).flat(),
    pass('norm', width),
    ...(isAutoregressive ? [head] : []),
  ]
}

function transformer(law: GpuLaw, shape: TableRow): ServedModel {
  const { name, isAutoregressive, latencyMs } = shape
  const steps = transformerSteps(shape, isAutoregressive)
  // The head is needed for the last position of the prompt only.
  const prompts = steps.map(({ kind, cost }) => times(law, cost(kind === 'head' ? 1 : PROMPT_TOKENS)))
  if (!isAutoregressive) return withLatency(shape, steps, prompts)
  const perToken = steps.map(({ cost }) => times(law, cost(1)))
  const fullTokens = Math.round((latencyMs - totalMs(prompts)) / totalMs(perToken))
  return {
    name,
    isAutoregressive,
    hasLength: true,
    fullTokens,
    latencyMs,
    operators: withMemory(shape, steps).map((operator, i) => {
      return { ...operator, prompt: prompts[i]!, fullLength: times(law, steps[i]!.cost(1), fullTokens) }
    }),
  }
}

function resnet50(law: GpuLaw): ServedModel {
  const steps: Step[] = []
  const convolution = (kind: string, pixels: number, input: number, output: number, kernel: number): void => {
    const cost: Cost = {
      flops: 2 * pixels * input * output * kernel,
      bytes: BYTES * (input * output * kernel + pixels * (input + output)),
    }
    steps.push({ kind, weights: input * output * kernel, cost: () => cost })
    steps.push({ kind: `${kind}-norm-relu`, weights: 0, cost: () => elementwise(pixels * output) })
  }
  convolution('stem', 112 * 112, 3, 64, 49)
  let input = 64
  for (const [stage, blocks] of [3, 4, 6, 3].entries()) {
    const width = 64 * 2 ** stage
    const pixels = (56 / 2 ** stage) ** 2
    for (let block = 0; block < blocks; block++) {
      convolution(`reduce${stage}`, pixels, input, width, 1)
      convolution(`spatial${stage}`, pixels, width, width, 9)
      convolution(`expand${stage}`, pixels, width, 4 * width, 1)
      input = 4 * width
    }
  }
  steps.push({ kind: 'classifier', weights: 2048 * 1000, cost: () => dense(1, 2048, 1000) })
  const shape = { name: 'ResNet-50', sizeGb: 0.2, latencyMs: 51 }
  return withLatency(
    shape,
    steps,
    steps.map(({ cost }) => times(law, cost(1))),
  )
}

/** A model that generates nothing, at the table's latency: its arithmetic and memory take as much longer as it says. */
function withLatency(
  shape: Pick<TableRow, 'name' | 'sizeGb' | 'latencyMs'>,
  steps: readonly Step[],
  works: readonly Work[],
): ServedModel {
  const fixedMs = works.reduce((sum, work) => sum + work.fixedMs, 0)
  const scale = (shape.latencyMs - fixedMs) / (totalMs(works) - fixedMs)
  return {
    name: shape.name,
    isAutoregressive: false,
    hasLength: shape.name !== 'ResNet-50',
    fullTokens: 0,
    latencyMs: shape.latencyMs,
    operators: withMemory(shape, steps).map((operator, i) => {
      const { fixedMs, coreMs, memoryMs } = works[i]!
      return {
        ...operator,
        prompt: NOTHING,
        fullLength: { fixedMs, coreMs: coreMs * scale, memoryMs: memoryMs * scale },
      }
    }),
  }
}

/** The table's size over the operators, as their weights are. */
function withMemory(
  { name, sizeGb }: Pick<TableRow, 'name' | 'sizeGb'>,
  steps: readonly Step[],
): Omit<OperatorCost, 'prompt' | 'fullLength'>[] {
  const weights = steps.reduce((sum, step) => sum + step.weights, 0)
  return steps.map((step) => {
    return { operator: `${name}/${step.kind}`, memoryBytes: (1e9 * sizeGb * step.weights) / weights }
  })
}

function totalMs(works: readonly Work[]): number {
  return works.reduce(
    (sum, { fixedMs, coreMs, memoryMs }) => sum + fixedMs + Math.sqrt(Math.sqrt(coreMs ** 4 + memoryMs ** 4)),
    0,
  )
}

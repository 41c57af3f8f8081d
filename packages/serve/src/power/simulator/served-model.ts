import type { ModelOperator } from '../clustering.js'
import { PROPORTIONAL_SCORE, sensitivityScore } from '../sensitivity.js'
import { type GpuLaw, type Work, workMs } from './gpu-law.js'

/** One operator of a served model: what it costs once a request, and once for each unit of its length. */
export interface OperatorCost {
  /** Name in the sensitivity database: operators of one kind and shape share it. */
  readonly operator: string
  readonly memoryBytes: number
  /** Once: the prompt. */
  readonly prompt: Work
  /** For a request of full length: all its output tokens, or all of its input where nothing is generated. */
  readonly fullLength: Work
}

/** A model as the simulation serves it. */
export interface ServedModel {
  readonly name: string
  readonly isAutoregressive: boolean
  /** Whether requests differ in length: prompts do, images do not. */
  readonly hasLength: boolean
  /** Output tokens of a request of full length; 0 where the model generates none. */
  readonly fullTokens: number
  /** Alone at the default clock, full length; what the SLO is a multiple of. */
  readonly latencyMs: number
  readonly operators: readonly OperatorCost[]
}

/** A request of full length is what operators are profiled and models are cut by. */
const whole = (law: GpuLaw, { prompt, fullLength }: OperatorCost, clockMhz: number): number =>
  workMs(law, prompt, clockMhz) + workMs(law, fullLength, clockMhz)

/** The operators as clustering takes them. */
export function modelOperators(law: GpuLaw, { operators }: ServedModel): ModelOperator[] {
  const defaultMhz = law.clocksMhz.at(-1)!
  return operators.map((cost) => {
    return { operator: cost.operator, latencyMs: whole(law, cost, defaultMhz), memoryBytes: cost.memoryBytes }
  })
}

/** Sensitivity scores of the models' operators by the laws of the GPU, in place of profiling (6.3.1). */
export function simulatedSensitivities(law: GpuLaw, models: readonly ServedModel[]): Map<string, number> {
  const defaultMhz = law.clocksMhz.at(-1)!
  const reducedMhz = defaultMhz / 2
  const scores = new Map<string, number>()
  for (const cost of models.flatMap(({ operators }) => operators)) {
    if (scores.has(cost.operator)) continue
    const defaultMs = whole(law, cost, defaultMhz)
    const reducedMs = whole(law, cost, reducedMhz)
    scores.set(cost.operator, sensitivityScore({ defaultMhz, defaultMs, reducedMhz, reducedMs }))
  }
  return scores
}

/** Share of a model's latency in operators below half of the proportional score: the paper's insensitive ones (6.4.4). */
export function insensitiveShare(law: GpuLaw, model: ServedModel): number {
  const scores = simulatedSensitivities(law, [model])
  const operators = modelOperators(law, model)
  const total = operators.reduce((sum, { latencyMs }) => sum + latencyMs, 0)
  const insensitive = operators.filter(({ operator }) => scores.get(operator)! < PROPORTIONAL_SCORE / 2)
  return insensitive.reduce((sum, { latencyMs }) => sum + latencyMs, 0) / total
}

import { ConfigError } from '@trimtab/core'

/** One operator of a model, in the order of execution. */
export interface ModelOperator {
  /** Its name in the sensitivity database. */
  readonly operator: string
  /** Of a request, at the default clock: how much of the model's latency it is. */
  readonly latencyMs: number
  /** Weights and activations that live on the device. */
  readonly memoryBytes: number
}

/** Neighbouring operators of similar sensitivity: the smallest unit that partitioning moves. */
export interface OperatorCluster {
  /** First operator and the one after the last. */
  readonly begin: number
  readonly end: number
  /** Mean sensitivity score of its operators, weighted by their latency. */
  readonly score: number
  readonly latencyMs: number
  readonly memoryBytes: number
}

/**
 * Groups neighbouring operators whose sensitivity lies within `threshold` of their cluster's (Algorithm 6.1).
 *
 * The printed algorithm is read as its text means it: |D(op) − score| < threshold (the parenthesis is misplaced), the head enters
 * once, and the last cluster is kept. A cluster's running score is the plain mean, as printed; the score it is returned with is
 * weighted by latency, because placement weighs operators (6.3.2).
 *
 * @param scores  sensitivity database D
 * @returns clusters that tile the operators, in their order
 * @throws {ConfigError} `operator_unknown` for operators without a score
 */
export function clusterOperators(
  operators: readonly ModelOperator[],
  scores: ReadonlyMap<string, number>,
  threshold: number,
): OperatorCluster[] {
  const unknown = [...new Set(operators.map(({ operator }) => operator))].filter((name) => !scores.has(name))
  if (unknown.length > 0) {
    throw new ConfigError('operator_unknown', `no sensitivity score for ${unknown.join(', ')}: profile them first`)
  }
  const clusters: OperatorCluster[] = []
  let begin = 0
  let sum = 0
  for (const [index, { operator }] of operators.entries()) {
    const score = scores.get(operator)!
    if (index > begin && !(Math.abs(score - sum / (index - begin)) < threshold)) {
      clusters.push(summarise(operators, scores, begin, index))
      begin = index
      sum = 0
    }
    sum += score
  }
  if (operators.length > 0) clusters.push(summarise(operators, scores, begin, operators.length))
  return clusters
}

function summarise(
  operators: readonly ModelOperator[],
  scores: ReadonlyMap<string, number>,
  begin: number,
  end: number,
): OperatorCluster {
  const members = operators.slice(begin, end)
  const latencyMs = members.reduce((total, operator) => total + operator.latencyMs, 0)
  const memoryBytes = members.reduce((total, operator) => total + operator.memoryBytes, 0)
  const weighted = members.reduce((total, { operator, latencyMs: ms }) => total + ms * scores.get(operator)!, 0)
  const plain = members.reduce((total, { operator }) => total + scores.get(operator)!, 0) / members.length
  return { begin, end, score: latencyMs > 0 ? weighted / latencyMs : plain, latencyMs, memoryBytes }
}

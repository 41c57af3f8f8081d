import { basename } from 'node:path'
import { Random } from '@trimtab/core'
import { type LengthPredictor, type PredictedLength, predictRows, scoreLengths } from '@trimtab/serve'
import type { Host } from '../host.js'
import { createProgress } from '../progress.js'
import { bySource, type SourcedExample } from './examples.js'
import type { OpenedPredictor } from './open.js'
import type { CurvePoint, GroupScores, LengthEvaluation } from './report-types.js'

const CHARACTERS = 320
const ROUNDS = 21
const MARKS = [0, 30, 100, 300, 500, 1000, 1500, 2000, 3000, 5000]
const FURTHER = 5000 // and at every multiple

interface Work {
  readonly file: string
  readonly rows: readonly SourcedExample[]
  readonly learnFile: string | undefined
  /** Finished one by one in random order. */
  readonly finished: readonly SourcedExample[]
  readonly seed: number
  readonly where: string | undefined
}

/** Judges a predictor, with `finished` before and after it learnt from them; the groups are those of the end. */
export function evaluateFile(work: Work, { predictor, name, core }: OpenedPredictor, host: Host): LengthEvaluation {
  const { file, rows, finished, seed, where = '', learnFile } = work
  const { updates } = predictor
  const trainedOn = JSON.parse(predictor.provenance.trainedOn ?? '[]') as LengthEvaluation['predictor']['trainedOn']
  const random = new Random(core, seed)
  const curve = finished.length > 0 ? learnOneByOne(predictor, rows, shuffle(finished, random), host) : []
  random.dispose()
  const predicted = predictRows(predictor, rows)
  const sourceOf = new Map(rows.map((row, i) => [predicted[i]!, row]))
  const groups = (keyOf: (row: SourcedExample) => string) => {
    const found = new Map<string, PredictedLength[]>()
    for (const one of predicted) {
      const key = keyOf(sourceOf.get(one)!)
      const group = found.get(key)
      if (group) group.push(one)
      else found.set(key, [one])
    }
    return [...found].map(([key, of]) => scoresOf(key, of))
  }
  const tierOf = new Map([...bySource(rows)].map(([source, of]) => [source, of[0]!.tier]))
  return {
    format: 'trimtab-length-evaluation',
    version: 1,
    file: basename(file),
    where,
    predictor: { name, trainedOn, updates },
    all: scoresOf('all', predicted),
    sources: groups(({ source }) => source).map((one) => ({ ...one, tier: tierOf.get(one.name)! })),
    models: groups(({ model }) => model),
    confusion: confusionOf(predicted),
    microseconds320: timePredictions(predictor, rows, host),
    learning: learnFile === undefined ? null : { file: basename(learnFile), finished: finished.length, curve },
  }
}

function learnOneByOne(
  predictor: LengthPredictor,
  rows: readonly SourcedExample[],
  finished: readonly SourcedExample[],
  host: Host,
): CurvePoint[] {
  const curve: CurvePoint[] = []
  const progress = createProgress(host, 'requests')
  const note = (count: number): void => {
    const scores = scoresOf('all', predictRows(predictor, rows))
    curve.push({ ...scores, finished: count })
    const order = scores.order === null ? '–' : scores.order.toFixed(3)
    progress.update({ done: count, total: finished.length, label: `order ${order}` })
  }
  try {
    for (const [i, row] of finished.entries()) {
      if (MARKS.includes(i) || i % FURTHER === 0) note(i)
      predictor.observe(row, row.outputTokens)
    }
    note(finished.length)
  } finally {
    progress.finish()
  }
  return curve
}

function shuffle<T>(list: readonly T[], random: Random): T[] {
  const shuffled = [...list]
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = random.integer(i + 1)
    ;[shuffled[i], shuffled[j]] = [shuffled[j]!, shuffled[i]!]
  }
  return shuffled
}

function scoresOf(name: string, rows: readonly PredictedLength[]): GroupScores {
  const { accuracy, l1, order } = scoreLengths(rows)
  return { name, rows: rows.length, accuracy, l1, order: Number.isNaN(order) ? null : order }
}

function confusionOf(rows: readonly PredictedLength[]): number[][] {
  const table = Array.from({ length: 5 }, () => new Array<number>(5).fill(0))
  for (const row of rows) table[row.trueClass]![row.class]! += 1
  return table
}

/** Median over rounds of the mean time. */
function timePredictions(predictor: LengthPredictor, rows: readonly SourcedExample[], host: Host): number {
  const requests = rows.slice(0, 500).map(({ model, prompt }) => ({ model, prompt: fill(prompt) }))
  const times = Array.from({ length: ROUNDS }, () => {
    const start = host.now()
    for (const request of requests) predictor.predict(request)
    return ((host.now() - start) * 1000) / requests.length
  })
  return times.sort((a, b) => a - b)[ROUNDS >> 1]!
}

const fill = (prompt: string): string =>
  `${prompt} `.repeat(Math.ceil(CHARACTERS / (prompt.length + 1))).slice(0, CHARACTERS)

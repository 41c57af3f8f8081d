// Job of the worker pool: one repeat of the cross-validation of one predictor.
import { readFileSync } from 'node:fs'
import { createCore } from '@trimtab/core'
import {
  crossValidate,
  finish,
  fitBest,
  generateServerless,
  NETWORK_PRESETS,
  networkPredictor,
  readRuntimeTable,
  SET_EMBEDDING,
  STATISTICAL_PREDICTORS,
} from '@trimtab/tasks/rightsizing'
import { FILES, pathOf } from './plan.mjs'

const SEED = 1
/** 500 functions to learn from feed a wider encoder than 17 workloads do: with counters 64 and 16 gained 13 %, not 18. */
const WIDE_EMBEDDING = { hiddenSize: 128, size: 32 }
/** λ·w of the other readings of "L2 0.01": torch's weight_decay; Keras' 2λ·w beside a MAPE in percent. */
const READINGS = { torch: 0.01, keras: 0.0002 }

let core
const tables = new Map()

/** @returns LabelError[] of `labels` */
export async function judge({ table, predictor, labels, repeat, functions, epochs, folds = 5, draws = 8 }) {
  core ??= await createCore()
  const options = { labels, folds, draws, repeats: 1, seed: SEED + 1000 * repeat }
  return finish(crossValidate(core, tableOf(table, functions), fitOf(predictor, epochs, table), options))
}

function tableOf(name, functions) {
  const known = tables.get(name)
  if (known) return known
  const table = Object.hasOwn(FILES, name)
    ? readRuntimeTable(name, readFileSync(pathOf(name), 'utf8'))
    : generateServerless(core, { functions, seed: SEED, counters: name.endsWith('counters') })
  tables.set(name, table)
  return table
}

/** `network`, `embedding k` (k samples in the input, all in the embedding), `paper [reading] [embedding]`, or a statistical one. */
function fitOf(predictor, epochs, table) {
  const [kind, ...words] = predictor.split(' ')
  if (kind === 'best') return fitBest
  if (Object.hasOwn(STATISTICAL_PREDICTORS, kind)) return STATISTICAL_PREDICTORS[kind]
  const { network, sizeless } = NETWORK_PRESETS
  if (kind === 'network') return networkPredictor({ ...network, epochs, maxBases: 11 })
  if (kind === 'embedding') {
    const embedding = Object.hasOwn(FILES, table) ? SET_EMBEDDING : WIDE_EMBEDDING
    return networkPredictor({ ...network, epochs, maxBases: Number(words[0]), embedding })
  }
  const weightDecay = READINGS[words[0]] ?? sizeless.weightDecay
  const embedding = words.includes('embedding') && { maxBases: 1, embedding: SET_EMBEDDING }
  return networkPredictor({ ...sizeless, epochs, weightDecay, ...embedding })
}

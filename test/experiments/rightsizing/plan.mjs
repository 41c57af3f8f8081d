// What is to be judged: tables × predictors × numbers of labels × repeats, the long jobs first.
import { existsSync } from 'node:fs'
import { STATISTICAL_PREDICTORS } from '@trimtab/tasks/rightsizing'

const DATA = new URL('../../../../shared/data/', import.meta.url)

/** Files of ../shared/data by the name that the report has for them. */
export const FILES = {
  CloudBandit: 'vm_config/multi_cloud.csv',
  'Sizeless features': 'serverless/sizeless_train_features.csv',
  'Sizeless apps': 'serverless/sizeless_apps.csv',
}
export const pathOf = (table) => new URL(FILES[table], DATA)

/** Labels of a network that meets `k` samples in its input, and of its embedding that has 8 more. */
export const SHOTS = [1, 2, 3]
export const MORE = 8
/** Labels beside the first one of a generated function. */
export const FUNCTION_LABELS = [1, 2, 3, 4]

const STATISTICAL = ['best', ...Object.keys(STATISTICAL_PREDICTORS)]

export function jobsOf(scale, progress) {
  const { repeats, networkRepeats, paperRepeats, readings, epochs, functions, functionEpochs } = scale
  const jobs = []
  const add = (table, predictor, labels, count, cost, options = {}) => {
    for (let repeat = 0; repeat < count; repeat++)
      jobs.push({ table, predictor, labels, repeat, cost, functions, epochs, ...options })
  }
  const present = Object.keys(FILES).filter((table) => existsSync(pathOf(table)))
  for (const table of Object.keys(FILES).filter((one) => !present.includes(one)))
    progress(`NOT JUDGED: ${table}, ../shared/data/${FILES[table]} is absent`)

  if (present.includes('CloudBandit')) {
    const cloud = (...job) => add('CloudBandit', ...job)
    const all = [...SHOTS, ...SHOTS.map((k) => k + MORE)]
    for (const predictor of STATISTICAL) cloud(predictor, all, repeats, predictor === 'best' ? 20 : 1)
    for (const labels of all) cloud('network', [labels], networkRepeats, 10)
    for (const k of SHOTS) cloud(`embedding ${k}`, [k], networkRepeats, 15)
    for (const k of SHOTS) cloud(`embedding ${k}`, [k + MORE], networkRepeats, 25)
    cloud('paper', [1], paperRepeats, 100)
    cloud('paper embedding', [1 + MORE], paperRepeats, 200)
    if (readings) {
      for (const reading of ['torch', 'keras']) {
        cloud(`paper ${reading}`, [1], paperRepeats, 100)
        cloud(`paper ${reading} embedding`, [1 + MORE], paperRepeats, 200)
      }
    }
  }
  for (const table of present.filter((one) => one !== 'CloudBandit'))
    for (const predictor of STATISTICAL) add(table, predictor, SHOTS, repeats, 1)

  for (const table of ['functions', 'functions with counters']) {
    const half = { folds: 2, draws: 4, epochs: functionEpochs } // learn from one half of the multisets, judge the other
    for (const predictor of Object.keys(STATISTICAL_PREDICTORS))
      add(table, predictor, FUNCTION_LABELS, repeats, 3, half)
    for (const labels of FUNCTION_LABELS) add(table, 'network', [labels], networkRepeats, 30, half)
    for (const labels of [1, 4]) add(table, 'embedding 1', [labels], networkRepeats, 60, half)
  }
  return jobs.sort((a, b) => b.cost - a.cost)
}

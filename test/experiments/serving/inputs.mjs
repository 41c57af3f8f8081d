// The data, and who predicts: trained on the training rows, asked for rows that it was not trained on.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { LengthPredictor } from '@trimtab/serve'
import { estimateRows, readRequestLog, rowEstimator } from 'trimtab/schedule'
import { ENGINE_FILES } from './engine.mjs'

const DATA = new URL('../../../../shared/data/', import.meta.url)
const FILES = {
  train: 'output-length/train.jsonl.gz',
  valid: 'output-length/valid.jsonl.gz',
  conv: 'output-length/traces/azure-llm-2023-conv.csv.gz',
  code: 'output-length/traces/azure-llm-2023-code.csv.gz',
  mooncake: 'llm/mooncake_conversation.jsonl.gz',
}
export const NAMES = { conv: 'Azure conversation', code: 'Azure code', mooncake: 'Mooncake conversation' }

/** Reported runs have seeds from here, runs by which the default ageing was chosen from there. */
const SEED = 1
/** The default ageing of the scheduler. */
export const BYPASS = 3
export const CHOICE_SEED = 1001
/** A server as in the notes on the papers' measurements: 0.1 s a request and 0.02 s a token. */
export const SERVER = {
  servers: 1,
  maxBatchSize: 4,
  batchWaitSeconds: 1,
  secondsPerToken: 0.02,
  secondsPerRequest: 0.1,
}
/** Share of the prompts of the training side that are held back to choose the ageing by: those whose hash begins so. */
const HELD = /^[0-2]/

export const settingsOf = ({ count, seeds }, changes) => ({
  ...SERVER,
  ...{ policies: [], batchings: ['none'], loads: [0.9], count, seeds, seed: SEED },
  ...{ bypass: BYPASS, sloScale: 20, pattern: undefined, isInLogOrder: false },
  ...changes,
})

/** @returns undefined where the data is absent */
export async function readInputs(core, progress) {
  const files = [...Object.values(FILES).map((file) => new URL(file, DATA)), ...ENGINE_FILES]
  if (!files.every((file) => existsSync(file))) return undefined
  const read = (name) => readRequestLog(NAMES[name] ?? name, textOf(name))
  const [train, valid] = [read('train'), read('valid')]
  const recorded = ['conv', 'code', 'mooncake'].map((name) => {
    const log = read(name)
    return { log, pattern: { name: log.name, seconds: Float64Array.from(log.requests, (one) => one.arrivalSeconds) } }
  })
  progress('training the predictor')
  const saved = trainedOn(core, train.requests)
  const isPermissive = permissiveRows()
  const permissive = train.requests.filter((_, row) => isPermissive[row])
  progress('training the predictor without the prompts that are held back')
  const isHeld = ({ prompt }) => HELD.test(createHash('sha1').update(prompt).digest('hex'))
  const held = { ...train, name: 'held', requests: train.requests.filter(isHeld) }
  const withoutHeld = trainedOn(
    core,
    train.requests.filter((request) => !isHeld(request)),
  )
  const rows = await rowsOf(core, valid, saved)
  return {
    ...{ valid, rows, held, recorded, train, permissive },
    patterns: recorded.slice(0, 2).map(({ pattern }) => pattern),
    estimator: rowEstimator(valid, rows, 'trained'),
    heldEstimator: rowEstimator(held, await rowsOf(core, held, withoutHeld), 'trained without them'),
    predictors: { 'all training rows': saved, 'permissive training rows': trainedOn(core, permissive) },
  }
}

const textOf = (name) => {
  const bytes = readFileSync(new URL(FILES[name], DATA))
  return (FILES[name].endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
}

const permissiveRows = () =>
  textOf('train')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).tier === 'permissive')

function trainedOn(core, requests) {
  const predictor = new LengthPredictor(core)
  predictor.fit(requests.map(({ model, prompt, outputTokens }) => ({ model, prompt, outputTokens })))
  const saved = predictor.save()
  predictor.dispose()
  return saved
}

export async function rowsOf(core, log, saved) {
  const predictor = LengthPredictor.load(core, saved)
  const rows = await estimateRows(log, predictor)
  predictor.dispose()
  return rows
}

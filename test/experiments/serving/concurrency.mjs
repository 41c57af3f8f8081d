// What the order of admission does where many requests run together, on a simulated engine with prefill, a slow-down by what
// is in the batch, and a KV cache that may be full.
import { percentile } from '@trimtab/core'
import { atGap, drawWorkload, errorsOf, estimateRowsWithErrors, runEngine } from 'trimtab/schedule'
import { readEngines } from './engine.mjs'
import { BYPASS, settingsOf } from './inputs.mjs'

export const PLACES = [4, 16, 64, 256]
export const LOADS = [0.7, 0.9, 1.1]
/** Characters of a prompt to a token of it, where the log does not count them. */
const CHARACTERS_PER_TOKEN = 4

/** A token of a prompt is this share of one of an answer: prompts are taken in many at a time. */
const PROMPT_WEIGHT = 0.05
const byAnswer = ({ output }) => output
const byWork = ({ prompt, output }) => output + PROMPT_WEIGHT * prompt
/** Cache that it holds, times the time for which it does. */
const byMemory = ({ prompt, output }) => (prompt + output / 2) * output
const whole = ({ prompt, output }) => prompt + output

/** @param bound  the work that half of the requests exceed */
const policiesOf = (places, bound) => ({
  fcfs: { admission: {} },
  answer: { admission: { size: byAnswer, bypass: BYPASS } },
  work: { admission: { size: byWork, bypass: BYPASS } },
  unaged: { admission: { size: byWork } },
  memory: { admission: { size: byMemory } },
  oracle: { admission: { size: byWork }, isOracle: true },
  reserve: { admission: { reserve: whole } },
  lanes: { admission: { lane: { size: byWork, bound, most: Math.ceil(0.75 * places) } } },
})

export function concurrency(core, { valid, rows, recorded }, scale, progress) {
  const engines = readEngines()
  const mooncake = recorded.find(({ log }) => log.name === 'Mooncake conversation').log
  const lent = estimateRowsWithErrors(core, mooncake, errorsOf(valid, rows), 1)
  const logs = [
    { name: 'mixed models', log: valid, estimates: rows.tokens },
    { name: 'Mooncake conversation', log: mooncake, estimates: lent.tokens },
  ]
  const found = []
  for (const { name, log, estimates } of logs) {
    const workloads = workloadsOf(core, log, estimates, scale)
    const bound = percentile(
      Float64Array.from(workloads[0].estimate, (_, i) => byWork(expectedOf(workloads[0], i))),
      50,
    )
    for (const [engine, engineOf] of Object.entries(engines)) {
      for (const places of PLACES) {
        progress(`${name}, ${engine}, ${places} places`)
        const model = engineOf(places)
        const gaps = workloads.map((workload) => secondsPerRequest(workload, model))
        const policies = policiesOf(places, bound)
        for (const load of LOADS) {
          const runs = (policy) => workloads.map((one, i) => runOf(one, gaps[i] / load, model, policies[policy]))
          const bases = runs('fcfs')
          for (const policy of Object.keys(policies)) {
            const results = summarise(policy === 'fcfs' ? bases : runs(policy), bases)
            found.push({ log: name, engine, places, load, policy, ...results })
          }
        }
      }
    }
  }
  return found
}

const expectedOf = ({ promptTokens, estimate }, i) => ({ prompt: promptTokens[i], output: estimate[i] })

function workloadsOf(core, log, estimates, scale) {
  const settings = settingsOf(scale, {})
  const promptTokens = Float64Array.from(
    log.requests,
    (one) => one.promptTokens ?? Math.ceil(one.prompt.length / CHARACTERS_PER_TOKEN),
  )
  return Array.from({ length: settings.seeds }, (_, i) => {
    const workload = drawWorkload(core, log, { ...settings, seed: settings.seed + i })
    const pick = (column) => Float64Array.from(workload.rows, (row) => column[row])
    return { workload, promptTokens: pick(promptTokens), outputTokens: workload.tokens, estimate: pick(estimates) }
  })
}

/** At which the engine comes along when somebody always waits: over the middle of such a run, without filling and emptying. */
function secondsPerRequest({ promptTokens, outputTokens, estimate }, model) {
  const arrival = new Float64Array(outputTokens.length)
  const { finish } = runEngine({ arrival, promptTokens, outputTokens, estimate }, model, {})
  const sorted = finish.toSorted()
  const at = (share) => Math.floor(share * (sorted.length - 1))
  return (sorted[at(0.8)] - sorted[at(0.2)]) / (at(0.8) - at(0.2))
}

function runOf({ workload, promptTokens, outputTokens, estimate }, gap, model, { admission, isOracle }) {
  const arrival = atGap(workload, gap)
  const requests = { arrival, promptTokens, outputTokens, estimate: isOracle ? outputTokens : estimate }
  const times = runEngine(requests, model, admission)
  const since = (column) => column.map((time, i) => time - arrival[i])
  const [jct, ttft, wait] = [times.finish, times.firstToken, times.start].map(since)
  return {
    ...{ meanJct: mean(jct), p99Jct: percentile(jct, 99), meanTtft: mean(ttft), meanWait: mean(wait) },
    ...{ preemptions: times.preemptions, meanBatch: times.meanBatch, meanCache01: times.meanCache01 },
  }
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length

function summarise(runs, bases) {
  const over = (name) => mean(runs.map((run) => run[name]))
  const ratio = (name) => mean(runs.map((run, i) => (run[name] === bases[i][name] ? 1 : run[name] / bases[i][name])))
  return {
    ...Object.fromEntries(Object.keys(runs[0]).map((name) => [name, over(name)])),
    overFcfs: { meanJct: ratio('meanJct'), p99Jct: ratio('p99Jct'), meanTtft: ratio('meanTtft') },
  }
}

// How much may come: the highest load at which so many requests meet their SLO, and what is done when more comes than can be.
import { drawWorkload, runPolicy, spreadOf } from 'trimtab/schedule'
import { settingsOf } from './inputs.mjs'

const POLICIES = ['fcfs', 'ssjf', 'ssjf-unaged', 'oracle']
const SLO_SCALES = [10, 20, 50]
const TARGETS = [0.9, 0.99]
const BISECTIONS = 9
const MOST_LOAD = 2
const OVERLOADS = [1.2, 1.5, 2, 3]

/** SLO: a multiple (6.4.1: SLO scale) of what the request takes alone. */
export function highestLoads(core, { valid, estimator }, scale, progress) {
  const found = []
  for (const batching of ['none', 'dynamic', 'continuous']) {
    for (const sloScale of SLO_SCALES) {
      progress(`load at an SLO of ${sloScale} × alone, ${batching}`)
      for (const target of TARGETS) {
        for (const policy of POLICIES) {
          const settings = { ...settingsOf(scale, {}), sloScale }
          const loads = workloadsOf(core, valid, settings).map((workload) => {
            const estimates = estimator.estimate(workload)
            return highestLoad(
              (load) => runPolicy(core, workload, policy, estimates, batching, load, settings).measures.attainment,
              target,
            )
          })
          found.push({ batching, sloScale, target, policy, load: spreadOf(loads, true) })
        }
      }
    }
  }
  return found
}

const workloadsOf = (core, log, settings) =>
  Array.from({ length: settings.seeds }, (_, i) => drawWorkload(core, log, { ...settings, seed: settings.seed + i }))

function highestLoad(attainmentAt, target) {
  let [low, high] = [0, MOST_LOAD]
  for (let i = 0; i < BISECTIONS; i++) {
    const middle = (low + high) / 2
    if (attainmentAt(middle) >= target) low = middle
    else high = middle
  }
  return low
}

/** More comes than can be served: how many requests are done by the moment at which the last one comes. */
export function overloadedThroughput(core, { valid, estimator }, scale, progress) {
  const found = []
  for (const batching of ['none', 'dynamic', 'continuous']) {
    progress(`overload, ${batching}`)
    for (const load of OVERLOADS) {
      const settings = settingsOf(scale, {})
      const workloads = workloadsOf(core, valid, settings)
      const done = (workload, policy) => {
        const { arrival, times } = runPolicy(
          ...[core, workload, policy, estimator.estimate(workload), batching, load, settings],
        )
        const last = arrival.at(-1)
        return times.finish.filter((time) => time <= last).length
      }
      const bases = workloads.map((workload) => done(workload, 'fcfs'))
      for (const policy of POLICIES.slice(1))
        found.push({
          ...{ batching, load, policy },
          overFcfs: spreadOf(
            workloads.map((workload, i) => done(workload, policy) / bases[i]),
            true,
          ),
        })
    }
  }
  return found
}

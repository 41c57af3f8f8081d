// What really happened, whatever the policy saw of it.
import { percentile } from '@trimtab/core'
import { latencyMs, RESOURCES } from '@trimtab/tasks/microservices'

const AFTER_SECONDS = 20

export class Judge {
  #application
  #seconds = []
  #ended = 0
  #late = 0
  #failed = 0
  #latencies
  #limits = 0
  #cpu = 0
  #replacements = 0

  constructor(application) {
    this.#application = application
    this.#latencies = Array.from(application.slos, () => [])
  }

  /** A second. */
  take({ fromSecond, requests, instances }, outcomes) {
    const { slos, deployed, graph } = this.#application
    for (const [type, { latenciesMs, timedOut, refused }] of requests.entries()) {
      this.#ended += latenciesMs.length
      this.#late += latenciesMs.filter((ms) => ms > slos[type]).length
      this.#failed += timedOut + refused
      this.#latencies[type].push(...latenciesMs)
    }
    const isBroken = requests.some((request, type) => latencyMs(request, 99) > slos[type])
    this.#seconds.push({ fromSecond, isBroken })
    const total = graph.services.reduce((sum, { replicas }) => sum + replicas, 0)
    for (const { service, grant, state, open } of instances) {
      if (state === 'leaving' && open === 0) continue
      const [cpu, ...others] = RESOURCES.map((resource) => grant[resource] / deployed.get(service)[resource])
      this.#cpu += cpu / total
      this.#limits += others.reduce((sum, times) => sum + times, 0) / others.length / total
    }
    this.#replacements += outcomes.filter(({ order, done }) => order.kind === 'replace' && done === 'whole').length
  }

  record(anomalies) {
    const { slos } = this.#application
    const seconds = this.#seconds.length
    const tails = this.#latencies.map((list, type) => percentile(Float64Array.from(list).sort(), 99) / slos[type])
    const after = anomalies.map(({ startSeconds }) =>
      this.#seconds.flatMap(({ fromSecond, isBroken }) => {
        const since = fromSecond - startSeconds
        return isBroken && since > -1 && since < AFTER_SECONDS ? [since + 1] : []
      }),
    )
    return {
      late: this.#late / this.#ended,
      violated: this.#seconds.filter(({ isBroken }) => isBroken).length / seconds,
      failed: this.#failed / this.#ended,
      tail: tails.reduce((sum, tail) => sum + tail, 0) / tails.length,
      limits: this.#limits / seconds,
      cpu: this.#cpu / seconds,
      replacements: this.#replacements,
      brokenSeconds: after.map((broken) => broken.length),
      lastSecond: after.map((broken) => Math.max(0, ...broken)),
    }
  }
}

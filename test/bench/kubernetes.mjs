// What a pass of the operator's recommender costs, its rules and policies by themselves and all of it but the network, with 100, 1,000 and 10,000 workloads of two pods, each kept by
// a guarded policy. The API server and Prometheus are doubles that answer at once and count what they are asked.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createCore } from '@trimtab/core'
import { Informer, MULTIDIM_POD_AUTOSCALERS, PODS } from '@trimtab/kubernetes'
import { Recommender } from '@trimtab/operator'
import {
  createTelemetry,
  DEFAULT_BOUNDS,
  GuardedAllocator,
  HpaVpaRule,
  MarginAllocator,
} from '@trimtab/tasks/autoscaling'
import { median } from './harness.mjs'

export const name = 'operator for Kubernetes: a pass'

const SIZES = [100, 1000, 10_000]
const WARM_UP = 12
const PASSES = 5
const PERIOD_MS = 15_000

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
const bytes = () => {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const metadata = (name, more = {}) => ({
  namespace: 'default',
  name,
  uid: `uid-${name}`,
  resourceVersion: '1',
  ...more,
})
const resources = { requests: { cpu: '1', memory: '512Mi' } }
const containers = [{ name: 'main', resources }]

const workload = (name) => ({
  metadata: metadata(name),
  spec: { replicas: 2, selector: {}, template: { spec: { containers } } },
})

const pod = (owner, i) => {
  const set = `${owner}-abc`
  const ownerReferences = [{ kind: 'ReplicaSet', name: set, controller: true }]
  return {
    metadata: metadata(`${set}-${i}`, { labels: { 'pod-template-hash': 'abc' }, ownerReferences }),
    spec: { containers },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ name: 'main', restartCount: 0, resources }],
    },
  }
}

const autoscaler = (name) => ({
  metadata: metadata(name, { generation: 1 }),
  spec: {
    scaleTargetRef: { name },
    slo: { latency: { query: `latency ${name}`, p99Ms: 250 } },
    load: { query: `load ${name}` },
  },
})

/** Answers from memory, and counts. */
class ApiDouble {
  asked = {}
  random = { uniform: () => 0.5 }
  #objects
  #clock

  constructor(objects, clock) {
    this.#objects = objects
    this.#clock = clock
  }

  #count(what) {
    this.asked[what] = (this.asked[what] ?? 0) + 1
  }

  async list({ plural, apiVersion }) {
    this.#count(`list ${apiVersion}/${plural}`)
    if (!apiVersion.startsWith('metrics.k8s.io')) return { items: this.#objects[plural], resourceVersion: '1' }
    const timestamp = new Date(this.#clock.now()).toISOString()
    const items = this.#objects.pods.map(({ metadata: { namespace, name } }, i) => ({
      metadata: { namespace, name },
      timestamp,
      containers: [{ name: 'main', usage: { cpu: `${300 + (i % 50)}m`, memory: `${200 + (i % 9)}Mi` } }],
    }))
    return { items }
  }

  async *watch({ plural }, { signal }) {
    this.#count(`watch ${plural}`)
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  }

  async get() {
    throw Object.assign(new Error('there is none'), { code: 'api_not_found' })
  }

  async apply({ plural }) {
    this.#count(`apply ${plural}`)
    return {}
  }

  async create(_, object) {
    return object
  }

  merge = this.create

  createBackoff() {
    return { reset() {}, wait: async () => {} }
  }
}

async function measure(core, count) {
  const names = Array.from({ length: count }, (_, i) => `w${i}`)
  let nowMs = Date.parse('2026-01-01T00:00:00Z')
  const clock = { now: () => nowMs }
  const pods = names.flatMap((each) => [pod(each, 0), pod(each, 1)])
  const client = new ApiDouble(
    { pods, deployments: names.map(workload), multidimpodautoscalers: names.map(autoscaler) },
    clock,
  )
  const ending = new AbortController()
  const [autoscalers, podInformer] = [new Informer(client, MULTIDIM_POD_AUTOSCALERS), new Informer(client, PODS)]
  for (const informer of [autoscalers, podInformer]) void informer.run(ending.signal)
  await Promise.all([autoscalers.listed, podInformer.listed])
  const capabilities = { canResizeInPlace: true, hasPodMetrics: true }
  const context = { client, capabilities, autoscalers, pods: podInformer, scalers: [], clock, namespace: 'trimtab' }
  let pass = 0
  const query = async (text) => {
    const value = text.startsWith('load') ? 60 + 10 * Math.sin(pass / 5) : 0.09
    return { samples: [{ labels: {}, timeSeconds: 0, value }], warnings: [] }
  }
  const before = bytes()
  const recommender = new Recommender(context, { core, prometheus: { query } })
  const times = []
  for (; pass < WARM_UP + PASSES; pass++) {
    nowMs += PERIOD_MS
    const start = process.cpuUsage()
    await recommender.step(ending.signal)
    const { user, system } = process.cpuUsage(start)
    if (pass >= WARM_UP) times.push((user + system) / 1000)
  }
  const used = bytes() - before
  recommender.dispose()
  ending.abort()
  return { milliseconds: median(times), kibibytes: used / count / 1024, asked: client.asked }
}

/** CPU of rules and policies alone: the decisions of a pass, ms. */
function decide(core, count) {
  const bounds = DEFAULT_BOUNDS
  const cluster = { bounds, resize: 'in-place', stepSeconds: PERIOD_MS / 1000 }
  const guards = Array.from({ length: count }, () => {
    const rule = new HpaVpaRule(core, cluster, { podCores: 1, targetPercent: 70 })
    return new GuardedAllocator(core, rule, new MarginAllocator(core, { bounds }), { bounds })
  })
  const measured = {
    ...createTelemetry(),
    sloMs: 250,
    p99Ms: 90,
    usedCores: 0.65,
    usedMemoryMiB: 204,
    readyReplicas: 2,
  }
  const inForce = { coresPerReplica: 1, memoryMiBPerReplica: 512, replicas: 2 }
  const times = []
  for (let pass = 0; pass < WARM_UP + PASSES; pass++) {
    const ratePerSecond = 60 + 10 * Math.sin(pass / 5)
    const telemetry = {
      ...measured,
      ...inForce,
      timeSeconds: (pass * PERIOD_MS) / 1000,
      ratePerSecond,
      requests: 15 * ratePerSecond,
    }
    const start = process.cpuUsage()
    for (const guard of guards) guard.allocate(telemetry, { ...inForce })
    const { user, system } = process.cpuUsage(start)
    if (pass >= WARM_UP) times.push((user + system) / 1000)
  }
  return median(times)
}

export async function run({ log }) {
  const core = await createCore()
  const rows = []
  let last
  for (const count of SIZES) {
    log(`${count} workloads …`)
    const { milliseconds, kibibytes, asked } = await measure(core, count)
    const words = `${count} workloads`
    const target = count === SIZES.at(-1) ? { target: { ours: 1000 } } : {}
    rows.push({ name: `${words}: CPU of rules and policies`, ours: decide(core, count), unit: 'ms', ...target })
    rows.push({ name: `${words}: CPU of a whole pass`, ours: milliseconds, unit: 'ms' })
    rows.push({ name: `${words}: memory of one`, ours: kibibytes, unit: 'KiB' })
    const { 'list v1/pods': pods, 'list metrics.k8s.io/v1beta1/pods': metrics } = asked
    const passes = WARM_UP + PASSES
    rows.push({ name: `${words}: lists of pods in ${passes} passes`, ours: pods, unit: '', target: { ours: 1 } })
    rows.push({ name: `${words}: lists of metrics a pass`, ours: metrics / passes, unit: '', target: { ours: 1 } })
    if (last) rows.push({ name: `${words}: times the CPU of a tenth`, ours: milliseconds / last, unit: '×' })
    last = milliseconds
  }
  return rows
}

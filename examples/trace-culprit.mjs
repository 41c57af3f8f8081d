// Usage: node examples/trace-culprit.mjs
// A hotel-booking application gets slow. From its traces alone: what did requests wait for, which service is to blame,
// and what would fixing it buy? The application is simulated; `readTraces(file)` reads yours (Jaeger, OTLP, Zipkin).

import { createPreset, MicroserviceSimulator } from '@trimtab/tasks/microservices'
import { CulpritWindow, createTraceCore, criticalPath, PathFinder, Profile, rankCulprits, WhatIf } from '@trimtab/trace'

const core = await createTraceCore()
const finder = new PathFinder(core)
const milliseconds = (ns) => (ns / 1e6).toFixed(1).padStart(6)

/** Half a minute of traffic as paths; `anomalies` are what a campaign file would hold. */
function observe(seed, anomalies) {
  const graph = createPreset(core, 'hotel-reservation')
  const simulator = new MicroserviceSimulator(core, graph, { seed, campaign: { name: 'example', anomalies } })
  const paths = []
  simulator.run(30, (trace) => paths.push(finder.find(trace)))
  return paths
}

/** The paths as what `rankCulprits` compares. */
function windowOf(paths) {
  const window = new CulpritWindow()
  for (const path of paths) window.add(path)
  return window
}

const usual = observe(1, [])
const slow = observe(2, [
  { kind: 'cpu', target: { service: 'rate' }, startSeconds: 0, durationSeconds: 30, intensity: 0.9 },
])

const profile = new Profile()
for (const path of slow) profile.add(path)
console.log(`${profile.traces} slow requests waited for`)
for (const { service, meanNs, share } of profile.services().slice(0, 5))
  console.log(`  ${milliseconds(meanNs)} ms  ${(100 * share).toFixed(0).padStart(2)} %  ${service}`)

const slowest = slow.reduce((a, b) => (b.latencyNs > a.latencyNs ? b : a))
console.log(`the slowest took ${milliseconds(slowest.latencyNs).trim()} ms:`)
for (const { span, startUs, endUs } of criticalPath(slowest.trace))
  if (endUs - startUs > slowest.latencyNs / 1e5)
    console.log(`  ${milliseconds(1e3 * (endUs - startUs))} ms  ${span.service}`)

const [first] = rankCulprits(core, windowOf(slow), windowOf(usual)).culprits
console.log(`to blame: ${first.service} (${(100 * first.probability).toFixed(0)} %), because ${first.reasons[0]}`)

const answer = new WhatIf({ service: first.service, speedUp: 2 })
for (const path of slow) answer.add(path)
console.log(`twice as fast, it would save ${milliseconds(answer.savedNs).trim()} ms of each request`)

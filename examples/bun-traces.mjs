// Usage: bun examples/bun-traces.mjs traces.json     (in a project of your own: bun add trimtab)
// What the requests of a file of traces waited for: Jaeger, OTLP or Zipkin, packed or not, read as it comes by Bun's own files.
import { createTraceCore, PathFinder, Profile, readTraces } from 'trimtab/trace'

const [, , path] = process.argv
if (!path) throw new Error('name a file of traces')
const finder = new PathFinder(await createTraceCore())
const profile = new Profile()
for await (const trace of readTraces(Bun.file(path).stream())) profile.add(finder.find(trace))

console.log(`${profile.traces} requests waited for`)
for (const { service, meanNs, share } of profile.services().slice(0, 5))
  console.log(`  ${(meanNs / 1e6).toFixed(1).padStart(6)} ms  ${(100 * share).toFixed(0).padStart(2)} %  ${service}`)

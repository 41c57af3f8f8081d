// Run by trace.mjs in a process of its own: a file of traces into one profile, in one pass, and what that did to memory.
// Arguments: FILE, `live` to look at what survives collection or `peak` to look at what is held, garbage included.
import { createReadStream } from 'node:fs'
import { createTraceCore, PathFinder, Profile, readTraces } from '@trimtab/trace'

const [file, what] = process.argv.slice(2)
const core = await createTraceCore()

function bytes() {
  if (what === 'live') gc()
  const { heapUsed, external } = process.memoryUsage() // array buffers and the core's memory are part of `external`
  return heapUsed + external
}

const finder = new PathFinder(core)
const profile = new Profile()
let most = 0
let traces = 0
let spans = 0
gc()
const before = bytes()
const start = performance.now()
for await (const trace of readTraces(createReadStream(file))) {
  profile.add(finder.find(trace))
  spans += trace.size
  if (++traces % (what === 'live' ? 1000 : 20) === 0) most = Math.max(most, bytes())
}
const seconds = (performance.now() - start) / 1e3
gc()
console.log(
  JSON.stringify({
    traces,
    spans,
    seconds,
    profiled: profile.traces,
    mostBytes: most - before,
  }),
)

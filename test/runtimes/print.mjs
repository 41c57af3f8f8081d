// The probe's entry on runtimes with a command line: Node, Bun, Deno.
import { probe } from './probe.mjs'

console.log(JSON.stringify(await probe()))

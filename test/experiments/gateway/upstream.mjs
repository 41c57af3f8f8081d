// The server behind the proxies, in a process of its own: the double of adapters/gateway/test, with as many places as a batch has.
// Usage: fork(upstream.mjs, [SLOTS, SECONDS_PER_TOKEN]); says { port }.
import { startDouble } from '../../../adapters/gateway/test/protocol-double.mjs'

const [slots, secondsPerToken] = process.argv.slice(2).map(Number)
const { port } = await startDouble({ slots, secondsPerToken, remembers: false })
process.send({ port })
process.on('disconnect', () => process.exit())

// The server behind the proxies, in a process of its own: the double of adapters/gateway/test, with as many places as a batch has.
// Usage: fork(upstream.mjs, [JSON of { slots, secondsPerToken, port, journal, refuses }]); says { port }. Each request that it works on
// is a line in the journal before anything is answered, so that a kill forgets none.
import { appendFileSync } from 'node:fs'
import { startDouble } from '../../../adapters/gateway/test/protocol-double.mjs'

const { journal, ...options } = JSON.parse(process.argv[2])
const onTake = journal ? (user) => appendFileSync(journal, `${user}\n`) : () => {}
const { port } = await startDouble({ ...options, onTake, remembers: false })
process.send({ port })
process.on('disconnect', () => process.exit())

// A process of the team that `bench nats` counts the messages of. Told its name and agents, it tells its steps and messages so far.
import { connect } from '@nats-io/transport-node'
import { TeamMember } from '@trimtab/control'
import { NatsTransport } from '@trimtab/nats'
import { PAPER_GLOBALS } from '@trimtab/tasks/serverless'

const { port, team, name, agents, heartbeatMs } = JSON.parse(process.argv[2])
const connection = await connect({ port, waitOnFirstConnect: true })
const transport = new NatsTransport(connection, { team, heartbeatMs })
await transport.models.replace('cpu', new Uint8Array(1), 0) // the first one's; the others find it there
const rule = { name: 'one each', decide: (_, out) => out.fill(1) }
const member = new TeamMember({
  name,
  transport,
  variables: PAPER_GLOBALS,
  clock: performance,
  heartbeatMs,
  load: () => ({ name: 'one each', decideMany: (_, out) => out.fill(1) }),
  rule: () => rule,
})
for (let i = 0; i < agents; i++) member.add(`${name}/${i}`, 'cpu')
await member.settled()

let steps = 0
const values = new Float64Array(agents * PAPER_GLOBALS.length).fill(1)
setInterval(() => {
  member.step(values)
  const { inMsgs, outMsgs, inBytes, outBytes } = connection.stats()
  const { passedOn } = transport.counts
  process.send({ steps: ++steps, agents: member.total.agents, passedOn, inMsgs, outMsgs, inBytes, outBytes })
}, heartbeatMs)
process.on('disconnect', () => process.exit())

// A pod that runs a server of the user's own: `service-pod.js PROGRAM`, which listens on loopback's port PORT. Says `{ port }` when it
// takes connections. Told `{ drain: true }`, when all is answered, it gets a SIGTERM; it ends at once when its parent is gone.
import net from 'node:net'
import process from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

const LISTENS_WITHIN_MS = 30_000
const ENDS_WITHIN_MS = 5000

process.on('disconnect', () => process.exit())
process.on('message', async ({ drain }) => {
  if (!drain) return
  process.kill(process.pid, 'SIGTERM')
  await setTimeout(ENDS_WITHIN_MS)
  process.exit()
})

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = net.createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

const takesConnections = (port) =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    const tell = (answer) => {
      socket.destroy()
      resolve(answer)
    }
    socket.on('connect', () => tell(true)).on('error', () => tell(false))
  })

const [program] = process.argv.splice(2, 1)
process.argv[1] = program // as if it had been started by itself
const port = await freePort()
process.env.PORT = String(port)
await import(pathToFileURL(program).href)
const endsAt = performance.now() + LISTENS_WITHIN_MS
while (!(await takesConnections(port))) {
  if (performance.now() > endsAt) {
    console.error(`${program} does not listen on port ${port} of 127.0.0.1, which PORT says`)
    process.exit(1)
  }
  await setTimeout(10)
}
process.send({ port })

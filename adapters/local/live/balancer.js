// The balancer before the pods, a process of its own: each request goes to the pod with the fewest that are open, by turns among equals.
// Says `{ port }` when it serves. Told `{ pods: [{ id, port }] }`, it sends to no others from then on; who has left and has nothing open is
// told as `{ drained: id }`. It ends when its parent is gone.
import http from 'node:http'
import process from 'node:process'

const pods = new Map() // by id: { port, agent, open, isLeaving }
let turn = 0

process.on('disconnect', () => process.exit())
process.on('message', (message) => setPods(message.pods))

const server = http.createServer((request, response) => {
  const pod = nextPod()
  if (!pod) {
    response.writeHead(503).end('no pod is ready\n')
    return
  }
  pod.open++
  const { method, url: path, headers } = request
  const forward = http.request(
    { host: '127.0.0.1', port: pod.port, agent: pod.agent, method, path, headers },
    (answer) => {
      response.writeHead(answer.statusCode, answer.headers)
      answer.on('error', () => response.destroy())
      answer.pipe(response)
    },
  )
  forward.on('error', () =>
    response.headersSent ? response.destroy() : response.writeHead(502).end('the pod is gone\n'),
  )
  response.on('close', () => {
    pod.open--
    forward.destroy()
    tellDrained()
  })
  request.pipe(forward)
})
server.keepAliveTimeout = 0
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))

function nextPod() {
  const serving = [...pods.values()].filter(({ isLeaving }) => !isLeaving)
  const fewest = Math.min(...serving.map(({ open }) => open))
  const equals = serving.filter(({ open }) => open === fewest)
  return equals[turn++ % Math.max(1, equals.length)]
}

function setPods(wanted) {
  for (const [id, pod] of pods) pod.isLeaving = !wanted.some((one) => one.id === id)
  for (const { id, port } of wanted)
    if (!pods.has(id)) pods.set(id, { port, agent: new http.Agent({ keepAlive: true }), open: 0, isLeaving: false })
  tellDrained()
}

function tellDrained() {
  for (const [id, { isLeaving, open, agent }] of pods) {
    if (!isLeaving || open > 0) continue
    agent.destroy()
    pods.delete(id)
    process.send({ drained: id })
  }
}

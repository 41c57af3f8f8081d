// The clients: each request at its time, over connections that are kept.
import http from 'node:http'

const PATH = '/v1/chat/completions'

/** One request; resolves when its answer is complete. */
export function ask(port, agent, body) {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
    const request = http.request(
      { port, host: '127.0.0.1', method: 'POST', path: PATH, agent, headers },
      (response) => {
        const pieces = []
        response.on('data', (piece) => pieces.push(piece))
        response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(pieces).toString() }))
        response.on('error', reject)
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

/** @returns for each request its latency in ms, and whether it got its own, whole answer */
export async function play(port, workload) {
  const agent = new http.Agent({ keepAlive: true })
  const start = performance.now()
  const results = await Promise.all(
    workload.map(async ({ atMs, tokens, body }, user) => {
      await new Promise((resolve) => setTimeout(resolve, atMs))
      const sentMs = performance.now() - start
      const { status, text } = await ask(port, agent, body)
      const latencyMs = performance.now() - start - sentMs
      const words = text.split(' w').length - 1
      return { latencyMs, sentMs, isWhole: status === 200 && words === tokens && text.includes(`"double-${user}"`) }
    }),
  )
  agent.destroy()
  return results
}

/** Latencies of requests one after the other to each port in turn, so that whatever else the machine does hits all alike. */
export async function alternate(ports, { rounds, requests, body }) {
  const agent = new http.Agent({ keepAlive: true })
  const latencies = ports.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, port] of ports.entries()) {
      const block = []
      for (let i = 0; i < requests; i++) {
        const start = performance.now()
        await ask(port, agent, body)
        block.push(performance.now() - start)
      }
      latencies[index].push(block)
    }
  }
  agent.destroy()
  return latencies
}

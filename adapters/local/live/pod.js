// A pod: a server on loopback that works and waits as each request says (`/ROUNDS/WAIT_MS`). Says `{ port }` when it serves. Told
// `{ drain: true }`, it answers who is there and ends; it ends at once when its parent is gone.
import http from 'node:http'
import process from 'node:process'
import { main as work } from '../functions/burn.js'

process.on('disconnect', () => process.exit())
process.on('message', ({ drain }) => drain && server.close(() => process.exit()))

const server = http.createServer((request, response) => {
  const [, rounds = '0', waitMs = '0'] = request.url.split('/')
  work({ rounds: Number(rounds) })
  setTimeout(() => response.end('done\n'), Number(waitMs))
})
server.keepAliveTimeout = 0 // the balancer says when a connection ends
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))

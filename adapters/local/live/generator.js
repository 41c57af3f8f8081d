// The open-loop generator of `trimtab live`, a process of its own: what it sends does not wait for what comes back, a request's latency
// counts from when it was meant to go out, and one without an answer counts as soon as it is older than the SLO. Told
// `{ load: { port, requests: [[atMs, path], …], periodMs, periods, sloMs } }`, says `{ period }` at the end of each and forgets what is
// open after the last. It ends when its parent is gone.
import http from 'node:http'
import process from 'node:process'

const EARLY_MS = 1 // a timer may fire up to this much too soon

process.on('disconnect', () => process.exit())
process.on('message', ({ load }) => run(load))

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

async function run({ port, requests, periodMs, periods, sloMs }) {
  const agent = new http.Agent({ keepAlive: true })
  const startMs = performance.now()
  const nowMs = () => performance.now() - startMs
  const open = new Map() // requests by when they were meant to go out
  let seen = empty()
  const sending = send()
  let [endedMs, planned] = [0, 0]
  for (let period = 1; period <= periods; period++) {
    await sleep(Math.max(0, period * periodMs - nowMs()))
    const [endMs, until] = [nowMs(), requests.findIndex(([atMs]) => atMs >= period * periodMs)]
    const arrivals = (until < 0 ? requests.length : until) - planned
    const ages = [...open.values()].map((atMs) => endMs - atMs).filter((age) => age > sloMs)
    const { latenciesMs, ...rest } = seen
    process.send({ period: { ...rest, arrivals, lengthMs: endMs - endedMs, latenciesMs: [...latenciesMs, ...ages] } })
    seen = empty()
    endedMs = endMs
    planned += arrivals
  }
  await sending
  for (const request of open.keys()) request.destroy()
  agent.destroy()

  async function send() {
    for (const [atMs, path] of requests) {
      const waitMs = atMs - nowMs()
      if (waitMs > EARLY_MS) await sleep(waitMs)
      if (nowMs() > periods * periodMs) return
      ask(atMs, path)
    }
  }

  function ask(atMs, path) {
    seen.lagsMs.push(Math.max(0, nowMs() - atMs))
    const request = http.get({ host: '127.0.0.1', port, path, agent }, (response) => {
      response.resume()
      response.on('error', () => settle(false))
      response.on('end', () => settle(response.statusCode === 200))
    })
    open.set(request, atMs)
    request.on('error', () => settle(false))

    function settle(isOk) {
      if (!open.delete(request)) return
      seen.latenciesMs.push(nowMs() - atMs)
      if (!isOk) seen.failures++
    }
  }
}

const empty = () => ({ latenciesMs: [], lagsMs: [], failures: 0 })

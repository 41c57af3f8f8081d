// An open-loop load generator, a process of its own: what it sends does not wait for what comes back, and a request's latency counts from
// when it was meant to go out, so that a platform or a machine that stands still is charged for it (no coordinated omission).
// Told `{ url, authorization, requests: [{ atMs, action, parameters }], patienceMs }`, says `{ done }` as it goes and `{ outcomes }` at the end.
import http from 'node:http'
import process from 'node:process'

const EARLY_MS = 1 // a timer may fire up to this much too soon
const TELL_MS = 500

process.on('disconnect', () => process.exit())
process.on('message', (load) => run(load).then((outcomes) => process.send({ outcomes }, () => process.exit())))

async function run({ url, authorization, requests, patienceMs }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const startMs = performance.now()
  const sent = []
  let done = 0
  const telling = setInterval(() => process.send({ done }), TELL_MS)
  for (const request of requests) {
    const waitMs = request.atMs - (performance.now() - startMs)
    if (waitMs > EARLY_MS) await new Promise((resolve) => setTimeout(resolve, waitMs))
    sent.push(send(request).finally(() => done++))
  }
  const outcomes = await Promise.all(sent)
  clearInterval(telling)
  return outcomes

  async function send({ atMs, action, parameters }) {
    const sentMs = performance.now() - startMs
    const answer = await invoke(action, parameters)
    const latencyMs = performance.now() - startMs - atMs
    return { action, atMs, lagMs: Math.max(0, sentMs - atMs), latencyMs, ...answer }
  }

  /** The activation's record is the answer: it says whether the start was cold. */
  function invoke(action, parameters) {
    return new Promise((resolve) => {
      const fail = (error) => resolve({ isOk: false, error: error.message })
      const options = { method: 'POST', agent, headers: { authorization, 'content-type': 'application/json' } }
      const path = `${url}/api/v1/namespaces/_/actions/${encodeURIComponent(action)}?blocking=true`
      const request = http.request(path, options, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part) => (text += part))
        response.on('error', fail)
        response.on('end', () => resolve(outcomeOf(response.statusCode, text)))
      })
      request.setTimeout(patienceMs, () => request.destroy(new Error(`no answer in ${patienceMs} ms`)))
      request.on('error', fail)
      request.end(JSON.stringify(parameters))
    })
  }
}

function outcomeOf(statusCode, text) {
  if (statusCode !== 200) return { isOk: false, error: `${statusCode} ${text.slice(0, 200)}` }
  const { annotations = [] } = JSON.parse(text)
  const annotation = (key) => annotations.find((each) => each.key === key)?.value
  return { isOk: true, waitTimeMs: annotation('waitTime'), initTimeMs: annotation('initTime') }
}

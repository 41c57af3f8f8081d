const seconds = (value) => value.toFixed(2)
const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]
const change = (value, base) => `${value < base ? '−' : '+'}${Math.abs((value / base - 1) * 100).toFixed(0)} %`

/** The figures as a page, and whether they show what must be shown. */
export function report({ scaleName, scale, slots, utilisation, arms, waits, overhead, crowd, outages }) {
  const of = (kind, name) => mean(waits[kind].map((each) => each[name]))
  const rows = Object.entries(arms).map(([kind, label]) => {
    const cells = ['meanWait', 'p50Wait', 'p99Wait', 'maxWait', 'meanLatency'].map((name) => seconds(of(kind, name)))
    const [wait, p99] = ['meanWait', 'p99Wait'].map((name) =>
      kind === 'fifo' ? '–' : change(of(kind, name), of('fifo', name)),
    )
    return `| ${label} | ${cells.join(' | ')} | ${wait} | ${p99} | ${waits[kind].reduce((sum, { broken }) => sum + broken, 0)} |`
  })
  const quietest = (path) => Math.min(...overhead[path])
  const row = (path, label) => {
    const p50 = [quietest(path), median(overhead[path])]
    const added = path === 'direct' ? '–' : (quietest(path) - quietest('direct')).toFixed(2)
    return `| ${label} | ${p50.map((value) => value.toFixed(2)).join(' | ')} | ${added} |`
  }
  const outageRows = Object.values(outages).flatMap(({ label, plain, gateway }) => {
    const cells = ({ served, cut, lost, twice }) => [served, cut, lost, twice].join(' | ')
    return [`| ${label} | plain proxy | ${cells(plain)} |`, `| | gateway | ${cells(gateway)} |`]
  })
  const markdown = `# The gateway under load

\`npm run experiment -- gateway --scale ${scaleName}\`. Real sockets and processes on two cores, real time: figures differ a little from run to run. The
server is a double that streams ${slots} answers at once, ${scale.secondsPerToken * 1000} ms a token, and computes nothing.

## Waiting

${scale.requests} requests${scale.seeds.length > 1 ? ` × ${scale.seeds.length} seeds` : ''} with the prompts and output lengths of \`data/output-length/valid\` (17 models, none trained on), Poisson arrivals at
ρ = ${utilisation}, every second one streamed, the same for all. Waiting is the client's latency without the time that its tokens take, in seconds.
Changes are against the same gateway in order of arrival.

| | mean wait | p50 | p99 | longest | mean latency | mean wait | p99 | broken |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

## What it costs

One request after the other, 20 tokens streamed at once, ${scale.rounds} blocks of ${scale.block} requests for each way in alternation; p50 of a block in milliseconds. The
quietest block is the one that other work on the machine disturbed least: where three processes share two busy cores, most of it is waiting for one.

| | quietest block | median block | added, quietest |
| --- | --- | --- | --- |
${row('direct', 'straight to the server')}
${row('plain', 'plain proxy')}
${row('gateway', 'gateway')}

## A long queue

${crowd.count} requests over as many connections, held until all wait (${crowd.waiting} did), then served through ${slots} places in ${crowd.seconds.toFixed(1)} s: ${crowd.served} whole answers to
their own clients, ${crowd.mixed} mixed up, ${crowd.broken} broken, ${crowd.refused} refused. A waiting request with its connection takes ${(crowd.bytesEach / 1024).toFixed(0)} KiB of the gateway.

## A server that goes away

${scale.waiting} requests at once, of 20 tokens at 5 ms, every second one streamed, by clients that repeat nothing. The server is a process of its own (the double) that
notes each request that it begins to work on. Cut: sent to a server that was killed before its answer was whole, ${slots} at a time at most; they may not be
sent again. Lost: no whole answer, though never sent. Worked on twice: begun more than once.

| the server | | whole answers | cut | lost | worked on twice |
| --- | --- | --- | --- | --- | --- |
${outageRows.join('\n')}
`
  const isShown =
    of('taught', 'meanWait') < of('fifo', 'meanWait') &&
    of('shipped', 'meanWait') < of('fifo', 'meanWait') &&
    quietest('gateway') - quietest('direct') <= 0.3 &&
    crowd.served === crowd.count &&
    Object.values(outages).every(
      ({ kills, gateway: { served, cut, lost, twice } }) =>
        lost === 0 && twice === 0 && cut <= kills * slots && served > 0,
    ) &&
    Object.values(waits).every((runs) => runs.every(({ broken }) => broken === 0))
  return { markdown, json: { scaleName, scale, slots, utilisation, waits, overhead, crowd, outages }, isShown }
}

import { printable } from '@trimtab/core/text'
import { createServing, type HttpError, type Serving } from '@trimtab/gateway'
import { aborted } from '../aborted.js'
import { type Command, defineCommand, EXIT } from '../command.js'
import type { Host } from '../host.js'
import { choiceOption, numberOption, repeatedOption, switchOption, textOption, UsageError } from '../options.js'

const MIB = 1024 * 1024
const DAY_SECONDS = 86_400
const QUIET_MS = 10_000
const LONGEST_TOKEN = 4096 // bytes

const seconds = <T extends number | undefined>(help: string, fallback: T) =>
  numberOption(help, fallback, { min: 0.001, max: DAY_SECONDS, fraction: true })

const options = {
  upstream: repeatedOption('URL', 'the server behind, with or without /v1: http://127.0.0.1:8000'),
  concurrency: numberOption('requests that each of them works on together: its batch size', undefined, {
    min: 1,
    max: 100_000,
  }),
  port: numberOption('where to listen; 0: any that is free', 8080, { min: 0, max: 65_535 }),
  host: textOption('ADDRESS', 'who can reach it; 0.0.0.0: everybody', '127.0.0.1'),
  order: choiceOption(
    'who goes first: the shortest by class or exactly, or who came first',
    ['class', 'exact', 'fifo'],
    'class',
  ),
  bypass: numberOption(
    'how much later work may go ahead of a request, in backlogs; 0: first come, first served (default 3)',
    undefined,
    {
      min: 0,
      max: 1e6,
      fraction: true,
    },
  ),
  'max-bypass': seconds('instead of --bypass: seconds, nobody is passed by who came so much later', undefined),
  fairness: numberOption(
    '0: tenants do not matter … 1: all that a tenant has waiting counts against its next request',
    0,
    {
      min: 0,
      max: 100,
      fraction: true,
    },
  ),
  'tenant-header': textOption('NAME', 'the header that names a tenant (default: a hash of the API key)', undefined),
  'tenant-queue': numberOption(
    'requests of one tenant that may wait; its next gets 429 (default: any number)',
    undefined,
    { min: 1, max: 10_000_000 },
  ),
  queue: numberOption('requests that may wait; the next gets 429', 10_000, { min: 1, max: 10_000_000 }),
  deadline: seconds('seconds a request may wait for its start, then 504 (default: any)', undefined),
  'max-body-mib': numberOption('a larger body gets 413', 16, { min: 0.001, max: 1024, fraction: true }),
  'upstream-wait': numberOption(
    'seconds that a request is held which no upstream takes: refused connections, 429 and 503 with Retry-After',
    30,
    { min: 0, max: DAY_SECONDS, fraction: true },
  ),
  'health-path': textOption(
    'PATH',
    'asked of the upstreams every 5 s, 2xx: well (default: only refused connections tell)',
    undefined,
  ),
  'upstream-timeout': seconds('seconds of silence of the upstream, then 504', 600),
  'client-timeout': seconds('seconds in which a client takes nothing, then it is cut off', 60),
  'drain-timeout': seconds('seconds that requests have to end after SIGTERM', 60),
  state: textOption(
    'FILE',
    'what was learned of lengths: read at the start, saved every minute and at the end',
    undefined,
  ),
  'metrics-token': textOption(
    'FILE',
    'holds the token that GET /metrics needs; without it that is for this machine only',
    undefined,
  ),
  json: switchOption('print one line of JSON at the start and one at the end'),
}

export const gateway: Command = defineCommand({
  name: 'gateway',
  summary: 'Stand in front of a server of language models and let short answers go first',
  options,
  examples: [
    [
      'trimtab gateway --upstream http://127.0.0.1:8000 --concurrency 8',
      'OpenAI’s protocol on port 8080; learns as it serves',
    ],
    [
      'trimtab gateway --upstream http://vllm:8000 --concurrency 64 --host 0.0.0.0 --state lengths.bin',
      'in a cluster, learning kept over restarts',
    ],
    [
      'trimtab gateway --upstream http://gpu-1:8000 --upstream http://gpu-2:8000 --concurrency 64 --health-path /health',
      'two servers that are alike: each request goes to the one with the least work left',
    ],
    [
      'trimtab gateway --upstream http://127.0.0.1:8000 --concurrency 8 --order fifo',
      'the same without predictions, to compare',
    ],
  ],
  exits:
    'POST …/chat/completions, …/completions, …/responses and …/messages wait, everything else passes. GET /healthz, GET /metrics (Prometheus). SIGTERM or Ctrl-C drains.\nExit: 0 everybody was served, 1 requests were cut off when the time to drain had passed, 2 the call is bad.',
  async run(values, host) {
    const { upstream, concurrency, state } = values
    if (upstream.length === 0 || concurrency === undefined)
      throw new UsageError(
        '--upstream URL and --concurrency N are needed: the server behind, and how many requests it works on together',
      )
    const { signal } = host // from here on: what is told to stop while it starts, stops as if it served
    if (state !== undefined && !(await host.canWrite(state)))
      throw new UsageError(`--state ${state} cannot be written: name a file in a folder that is there`)
    const metricsToken = await readToken(values['metrics-token'], host)
    const { bypass } = values
    const maxBypassSeconds = values['max-bypass']
    const serving = await createServing({
      upstream,
      concurrency,
      order: values.order,
      fairness: values.fairness,
      capacity: values.queue,
      ...(bypass !== undefined && { bypass }),
      ...(maxBypassSeconds !== undefined && { maxBypassSeconds }),
      ...(values['tenant-header'] !== undefined && { tenantHeader: values['tenant-header'] }),
      ...(values.deadline !== undefined && { deadlineMs: values.deadline * 1000 }),
      ...(values['tenant-queue'] !== undefined && { tenantCapacity: values['tenant-queue'] }),
      ...(values['health-path'] !== undefined && { healthPath: values['health-path'] }),
      ...(metricsToken !== undefined && { metricsToken }),
      ...(state !== undefined && { statePath: state }),
      upstreamWaitMs: values['upstream-wait'] * 1000,
      maxBodyBytes: Math.round(values['max-body-mib'] * MIB),
      upstreamTimeoutMs: values['upstream-timeout'] * 1000,
      clientTimeoutMs: values['client-timeout'] * 1000,
      onFailure: createFailureLog(host),
      onSaveError: (error) => host.stderr.write(`${printable(error.message)}\n`),
    })
    try {
      const { port } = await serving.gateway.listen(values.port, values.host)
      announce(`http://${values.host}:${port}`, values, host)
      await aborted(signal)
      host.stderr.write(`draining: ${serving.scheduler.size} wait, ${serving.scheduler.pending} run\n`)
      const isDone = await serving.gateway.drain(values['drain-timeout'] * 1000)
      summarise(serving, isDone, values.json, host)
      return isDone ? EXIT.done : EXIT.badAnswer
    } finally {
      await serving.dispose()
    }
  },
})

/** A secret stands in a file, not in a list of processes. */
async function readToken(path: string | undefined, host: Host): Promise<string | undefined> {
  if (path === undefined) return undefined
  try {
    const { text } = await host.readTail(path, LONGEST_TOKEN)
    return text.trim()
  } catch (error) {
    throw new UsageError(`--metrics-token ${path} cannot be read: ${(error as Error).message}`)
  }
}

interface Announced {
  readonly upstream: readonly string[]
  readonly concurrency: number | undefined
  readonly order: string
  readonly json: boolean
}

function announce(url: string, { upstream, concurrency, order, json }: Announced, host: Host): void {
  const servers = upstream.join(', ')
  if (json) host.stdout.write(`${JSON.stringify({ event: 'listening', url, upstream: servers, concurrency, order })}\n`)
  else host.stderr.write(`${url} → ${servers}, ${concurrency} at once, order: ${order}; ${url}/metrics\n`)
}

function summarise({ scheduler }: Serving, isDone: boolean, json: boolean, host: Host): void {
  const stats = scheduler.stats()
  if (json) {
    host.stdout.write(`${JSON.stringify({ event: 'stopped', isDone, ...stats })}\n`)
    return
  }
  const { added, finished, failed, refused, aborted, expired, all } = stats
  const wait =
    all.started > 0
      ? `; waits: p50 ${seconds1(all.waitP50Ms)}, p99 ${seconds1(all.waitP99Ms)}, longest ${seconds1(all.waitMaxMs)}`
      : ''
  host.stdout.write(
    `${added} requests: ${finished} served, ${failed} broke off, ${aborted} left, ${refused} refused, ${expired} too late${wait}\n`,
  )
}

const seconds1 = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(2)} s`

/** One line a kind of failure, and then how many more there were: never a line a request. */
function createFailureLog(host: Host): (error: HttpError) => void {
  const kinds = new Map<string, { toldAt: number; untold: number }>()
  return ({ code, message, status }) => {
    const now = host.now()
    const kind = kinds.get(code)
    if (kind && now - kind.toldAt < QUIET_MS) {
      kind.untold++
      return
    }
    const more = kind && kind.untold > 0 ? ` (and ${kind.untold} more since)` : ''
    host.stderr.write(`${status} ${code}: ${printable(message)}${more}\n`)
    kinds.set(code, { toldAt: now, untold: 0 })
  }
}

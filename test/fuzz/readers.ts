// Every reader of what others wrote, with good files to damage. What is read is used as its callers do.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { floatTensor, Random, readSafetensors, writeSafetensors } from '@trimtab/core'
import { createCoreSync } from '@trimtab/core/sync'
import { createTraceCoreSync } from '@trimtab/core/trace'
import { createDdpg, loadPolicy, readPretrained } from '@trimtab/learn'
import { FileTrajectoryStore } from '@trimtab/node'
import { readLeases } from '@trimtab/nvml'
import { createServeCore, LengthPredictor } from '@trimtab/serve'
import { CONTROL_TASKS, findTask } from '@trimtab/tasks'
import { parseLoad } from '@trimtab/tasks/autoscaling'
import { parseCampaign } from '@trimtab/tasks/microservices'
import { readRuntimeTable } from '@trimtab/tasks/rightsizing'
import { CriticalComponentClassifier, JoinedTraces, PathFinder, Profile, parseTraces, Workflow } from '@trimtab/trace'
import { readCompletionRequest } from '../../adapters/gateway/src/completion-request.js'
import { createOutputCounter } from '../../adapters/gateway/src/output-counter.js'
import { readTrajectories } from '../../packages/cli/src/adaptation/files.js'
import { parseRecords } from '../../packages/cli/src/adaptation/records.js'
import { fileSource, lineSource } from '../../packages/cli/src/gpu/latency-source.js'
import { prometheusSource } from '../../packages/cli/src/gpu/prometheus.js'
import { main } from '../../packages/cli/src/main.js'
import { readExamples } from '../../packages/cli/src/prediction/examples.js'
import { ownReading } from '../../packages/cli/src/read-file.js'
import { readRequestLog } from '../../packages/cli/src/scheduling/requests.js'
import { drawWorkload } from '../../packages/cli/src/scheduling/workload.js'
import { parseLabels } from '../../packages/cli/src/trace/labels.js'
import { createFakeHost } from '../../packages/cli/test/fake-host.js'
import { SHIPPED_CLASSIFIERS } from '../../packages/trace/src/components/shipped-classifiers.js'
import { taughtAutoscaling } from '../taught.js'
import { bytesOf, requestTraces, WRITERS } from '../traces/index.mjs'
import type { Reader } from './fuzz.js'

const core = createCoreSync()
const traceCore = createTraceCoreSync()
const serveCore = await createServeCore()
const encoder = new TextEncoder()
const decoder = new TextDecoder()
const bytes = (...texts: readonly string[]): Uint8Array[] => texts.map((text) => encoder.encode(text))
const text = (input: Uint8Array): string => decoder.decode(input)

/** A reader of text. */
const ofText = (name: string, samples: readonly string[], read: (text: string) => unknown): Reader => ({
  name,
  samples: () => bytes(...samples),
  read: (input) => read(text(input)),
})

/** A whole command over one file: it may refuse in words, and prints no stack trace. */
async function command(argv: string, input: Uint8Array): Promise<void> {
  const host = createFakeHost()
  host.files.set('input', input)
  await main(argv.split(' '), host)
  if (/^\s+at /m.test(host.err())) throw new Error(host.err())
}

type Format = keyof typeof WRITERS
const tracesOf = (format: Format) => (): Uint8Array[] =>
  [1, 2].map((seed) => bytesOf(WRITERS[format](requestTraces(core, { traces: 3, spans: 8, seed, slow: undefined }))))

/** Good files, and the same behind a line that is cut at its front. */
const withCutFronts = (samples: () => Uint8Array[]) => (): Uint8Array[] => {
  const good = samples()
  return [...good, ...good.map((file) => encoder.encode(`${text(file.subarray(file.length >> 1))}\n${text(file)}`))]
}

/** OTLP as some exporters write it: a resource and its spans a line. */
const bareLines = (): Uint8Array[] =>
  tracesOf('otlp-json')().map((file) => {
    const lines = text(file).trim().split('\n')
    const resources = lines.flatMap((line) => (JSON.parse(line) as { resourceSpans: object[] }).resourceSpans)
    return encoder.encode(resources.map((one) => JSON.stringify(one)).join('\n'))
  })

const TABLE = `trace,span,parent,service,operation,trace_start_unix_us,start_us,duration_us,kind,error
t,0,-1,front,GET,1700000000000000,0,100,server,false
t,1,0,cart,load,1700000000000000,10,50,client,true
u,0,-1,front,GET,0.0005,0,90,server,0
`

const traces = (name: string, samples: Reader['samples']): Reader[] => [
  {
    name: `traces ${name}`,
    samples,
    read(input) {
      const finder = new PathFinder(traceCore)
      try {
        const profile = new Profile()
        const workflow = new Workflow()
        for (const trace of parseTraces(input)) {
          const path = finder.find(trace)
          profile.add(path)
          workflow.add(path)
        }
        Profile.load(profile.save())
      } finally {
        finder.dispose()
      }
    },
  },
  {
    name: `files of ${name}`,
    samples,
    async read(input) {
      const [good] = await samples()
      const inputs = [good!, input].map((file, i) => ({ name: `${i}`, open: () => file }))
      const finder = new PathFinder(traceCore)
      try {
        for await (const trace of new JoinedTraces(inputs).read()) finder.find(trace)
      } finally {
        finder.dispose()
      }
    },
  },
  {
    name: `trimtab trace on ${name}`,
    samples,
    async read(input) {
      await command('trace profile input --format html', input)
      await command('trace culprits input', input)
    },
  },
]

const EXPOSITION = `# TYPE d histogram
d_bucket{path="a",le="0.1"} 10 # {trace_id="x"} 0.67 1520879607.789
d_bucket{path="a",le="1"} 12
d_bucket{path="a",le="+Inf"} 12
d_sum 3.5
g{path="a } 7",quote="\\"}"} 0.25
`
const QUERY =
  '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1700000000.1,"0.25"]}]}}'

const { signal } = new AbortController()
const asLatency = async (metric: string | undefined, body: string): Promise<void> => {
  const source = prometheusSource({ url: 'http://h', metric, toMs: 1000, fetch: async () => new Response(body) })
  for (const now of [0, 1000]) {
    const { latencyMs } = await source.read(now, signal)
    if (latencyMs !== undefined && !(latencyMs >= 0 && latencyMs < Infinity)) throw new Error(`latency ${latencyMs}`)
  }
}

const REQUESTS = [
  '{"model":"m","prompt":"Write a poem","output_tokens":120,"arrival_s":0}\n{"model":"n","messages":[{"role":"user","content":"Hi"}],"usage":{"completion_tokens":7},"arrival_ms":900}\n',
  '{"timestamp":0,"input_length":6955,"output_length":52}\n{"timestamp":3000,"input_length":6472,"output_length":26}\n',
  'TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n',
]

const STEP = JSON.stringify({
  episode: 0,
  observation: findTask('autoscaling').observation.names.map(() => 0.5),
  action: findTask('autoscaling').action.names.map(() => 0.1),
  reward: 1.2,
})
const taught = await taughtAutoscaling()
const model = readPretrained(taught)

function ddpgFile(): Uint8Array {
  const agent = smallAgent()
  try {
    return agent.save()
  } finally {
    agent.dispose()
  }
}
const smallAgent = () => {
  const space = (names: string[]) => ({
    names,
    kind: 'box' as const,
    low: Float64Array.from(names, () => -1),
    high: Float64Array.from(names, () => 1),
  })
  return createDdpg(core, {
    ...{ task: 'toy', observation: space(['x', 'y']), action: space(['u']), seed: 1 },
    options: { hidden: [4], batchSize: 4, capacity: 8, warmUp: 4 },
  })
}

function predictorFile(): Uint8Array {
  const predictor = new LengthPredictor(serveCore, { bits: 10, models: 3 })
  for (let i = 0; i < 20; i++) predictor.observe({ model: 'm', prompt: `write ${i} words` }, 10 * i)
  try {
    return predictor.save({ trainedOn: '[{"name":"a","rows":20}]' }, { isCompact: true })
  } finally {
    predictor.dispose()
  }
}

const CAMPAIGN = JSON.stringify({
  format: 'trimtab-campaign/1',
  name: 'two',
  anomalies: [
    {
      kind: 'cpu',
      target: { service: 'cart', replica: 0 },
      startSeconds: 30,
      durationSeconds: 10,
      pattern: 'ramp',
      intensity: 0.8,
    },
    { kind: 'workload', target: { request: 'checkout' }, startSeconds: 35, durationSeconds: 20, intensity: 0.4 },
  ],
})

const folder = (): string => mkdtempSync(join(tmpdir(), 'trimtab-fuzz-'))
const [leases, trajectories] = [folder(), folder()]
const columns = { observation: { names: ['x'] }, action: { names: ['u'] } } as never

/** Every simulator's state: loaded into a world of the same kind, which then takes a step. */
const simulators: Reader[] = CONTROL_TASKS.filter((name) => !name.includes('hidden')).map((name) => {
  const task = findTask(name)
  const spec = task.generate(core, 1)
  return {
    name: `state of ${name}`,
    samples() {
      const world = task.environment(core, spec)
      world.reset(1)
      const states = [world.save()]
      world.step(new Float32Array(task.action.kind === 'box' ? task.action.names.length : 1))
      states.push(world.save())
      world.dispose()
      return states
    },
    read(input) {
      const world = task.environment(core, spec)
      try {
        world.reset(2)
        world.load(input)
        world.step(new Float32Array(task.action.kind === 'box' ? task.action.names.length : 1))
      } finally {
        world.dispose()
      }
    },
  }
})

export const READERS: readonly Reader[] = [
  ...(['jaeger', 'otlp-json', 'zipkin'] as const).flatMap((format) => traces(format, withCutFronts(tracesOf(format)))),
  ...traces('otlp-protobuf', tracesOf('otlp-protobuf')),
  ...traces('bare otlp-json', withCutFronts(bareLines)),
  ...traces('csv', () => bytes(TABLE)),
  ofText('labels', ['fault_id,root_cause_service,fault_type\nf1,cart,cpu\nf2,db,net\n'], (input) =>
    parseLabels(input, 'l.csv'),
  ),
  ofText('classifier', Object.values(SHIPPED_CLASSIFIERS), (input) => {
    const classifier = CriticalComponentClassifier.load(traceCore, input)
    try {
      classifier.describe()
      classifier.drift([[0, 1, 2, 3, 4]])
      classifier.decide([0, 1, 2, 3, 4])
    } finally {
      classifier.dispose()
    }
  }),
  {
    name: 'profile file',
    samples: () => {
      const profile = new Profile()
      const finder = new PathFinder(traceCore)
      for (const trace of parseTraces(tracesOf('jaeger')()[0]!)) profile.add(finder.find(trace))
      finder.dispose()
      return [profile.save()]
    },
    read: (input) => Profile.load(input).services(),
  },
  ofText('prometheus text', [EXPOSITION], async (input) => {
    await asLatency('d', input)
    await asLatency('g', input)
  }),
  ofText('prometheus query', [QUERY], (input) => asLatency(undefined, input)),
  {
    name: 'latency lines',
    samples: () => bytes('120\n130.5\n90\n'),
    async read(input) {
      const pieces = async function* () {
        for (let at = 0; at < input.length; at += 100) yield input.subarray(at, at + 100)
      }
      const source = lineSource(pieces(), 1, () => 0)
      let reading = await source.read(0, signal)
      while (!reading.isEnd) {
        await new Promise(setImmediate)
        reading = await source.read(0, signal)
      }
    },
  },
  ofText('latency file', ['120\n130.5\n'], (input) =>
    fileSource(async () => ({ text: input, modifiedMs: 0, ageMs: 0 }), 1).read(0, signal),
  ),
  ofText('request log', REQUESTS, (input) => {
    const log = readRequestLog('log', input)
    if (log.requests.length < 1000) drawWorkload(serveCore, log, { count: 20, seed: 1 } as never)
  }),
  {
    name: 'finished requests',
    samples: () =>
      bytes(
        '{"prompt":"Hi","model":"m","output_tokens":12,"source":"a","tier":"t"}\n{"prompt":"Ho","model":"n","output_tokens":3}\n',
      ),
    async read(input) {
      const host = createFakeHost()
      host.files.set('input', input)
      const rows = await readExamples('input', ownReading(host))
      const predictor = new LengthPredictor(serveCore, { bits: 10, models: 3 })
      try {
        predictor.fit(rows.slice(0, 50), { epochs: 1 })
        const { tokens } = predictor.predict({ model: rows[0]!.model, prompt: 'x' })
        if (!Number.isFinite(tokens)) throw new Error(`predicts ${tokens} tokens`)
      } finally {
        predictor.dispose()
      }
    },
  },
  ofText('load', [`minute,requests\n${Array.from({ length: 70 }, (_, i) => `${i},${i * 3}`).join('\n')}\n`], (input) =>
    parseLoad('load.csv', input),
  ),
  ofText('runtimes', ['function,memory_mb,duration_ms\na,128,400\na,256,210\nb,128,90\nb,256,50\n'], (input) =>
    readRuntimeTable('t.csv', input),
  ),
  {
    name: 'steps to embed',
    samples: () => bytes(`${STEP}\n${STEP}\n${STEP.replace('"episode":0', '"episode":1')}\n`),
    async read(input) {
      const host = createFakeHost()
      host.files.set('input', input)
      const meta = model.createMetaLearner(core)
      try {
        meta.insertTrajectories(await readTrajectories('input', model, ownReading(host)))
        const z = meta.getEmbedding()
        if (!z.every(Number.isFinite)) throw new Error(`embedding ${z}`)
      } finally {
        meta.dispose()
      }
    },
  },
  ofText('records', ['{"event":"round","round":1,"reward":0.5,"episodes":3,"updates":10,"skipped":0}\n'], (input) =>
    parseRecords(input, 'log.jsonl'),
  ),
  {
    name: 'policy to serve',
    samples: () => [ddpgFile()],
    read(input) {
      const policy = loadPolicy(core, input)
      try {
        const action = new Float32Array(policy.header.action.names.length)
        policy.decide(new Float32Array(policy.header.observation.names.length), action)
        if (!action.every(Number.isFinite)) throw new Error(`action ${action}`)
      } finally {
        policy.dispose()
      }
    },
  },
  {
    name: 'policy to train',
    samples: () => [ddpgFile()],
    read(input) {
      const agent = smallAgent()
      try {
        agent.load(input)
      } finally {
        agent.dispose()
      }
    },
  },
  {
    name: 'pretrained model',
    samples: () => [taught],
    read(input) {
      const found = readPretrained(input)
      found.estimateAt(0.5)
      found.createMetaLearner(core).dispose()
      const agent = found.createAgent(core, { seed: 1 })
      agent.dispose()
    },
  },
  {
    name: 'safetensors',
    samples: () => [
      writeSafetensors([floatTensor('a', [2, 2], new Float32Array(4)), floatTensor('b', [3], new Float32Array(3))], {
        key: 'value',
      }),
    ],
    read: readSafetensors,
  },
  {
    name: 'length predictor',
    samples: () => [predictorFile()],
    read(input) {
      const predictor = LengthPredictor.load(serveCore, input)
      try {
        const { tokens } = predictor.predict({ model: 'm', prompt: 'write' })
        if (!Number.isFinite(tokens)) throw new Error(`predicts ${tokens} tokens`)
      } finally {
        predictor.dispose()
      }
    },
  },
  {
    name: 'random state',
    samples: () => {
      const random = new Random(core, 1)
      const state = random.save()
      random.dispose()
      return [state]
    },
    read(input) {
      const random = new Random(core, 1)
      try {
        random.load(input)
        random.normal()
      } finally {
        random.dispose()
      }
    },
  },
  ofText('campaign', [CAMPAIGN], (input) => parseCampaign(input)),
  ...simulators,
  {
    name: 'trajectory file',
    samples: () => {
      const path = join(trajectories, 'sample')
      const store = new FileTrajectoryStore({ path, ...(columns as object) } as never)
      store.append({ episode: 0, step: 0, reward: 1, observation: new Float32Array(1), action: new Float32Array(1) })
      store.append({ episode: 0, step: 1, reward: 2, observation: new Float32Array(1), action: new Float32Array(1) })
      store.dispose()
      return [readFileSync(path)]
    },
    read(input) {
      const path = join(trajectories, 'damaged')
      writeFileSync(path, input)
      const store = new FileTrajectoryStore({ path, ...(columns as object) } as never)
      store.recent(5)
      store.dispose()
    },
  },
  {
    name: 'request body',
    samples: () =>
      bytes(
        '{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"max_tokens":20,"n":2}',
        '{"model":"m","prompt":["a","b"],"max_completion_tokens":9}',
      ),
    read: (input) => readCompletionRequest(Buffer.from(input)),
  },
  ...(['application/json', 'text/event-stream'] as const).map(
    (type): Reader => ({
      name: `answer of ${type}`,
      samples: () =>
        type === 'application/json'
          ? bytes('{"choices":[{"text":"a"}],"usage":{"completion_tokens":12}}')
          : bytes(
              'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\ndata: {"usage":{"completion_tokens":3},"choices":[]}\n\ndata: [DONE]\n\n',
            ),
      async read(input) {
        const counter = createOutputCounter(200, { 'content-type': type })!
        for (let at = 0; at < input.length; at += 64) counter.add(Buffer.from(input.subarray(at, at + 64)))
        await counter.finish()
      },
    }),
  ),
  {
    name: 'lease',
    samples: () =>
      bytes(
        '{"pid":12,"startTime":"99","pidNamespace":"pid:[1]","gpu":"GPU-1","command":"trimtab","since":"2026-01-01T00:00:00Z","lockedMhz":705}\n',
      ),
    read(input) {
      writeFileSync(join(leases, 'GPU-1.12-99.json'), input)
      for (const { command, since, lockedMhz } of readLeases([leases]))
        if (
          typeof command !== 'string' ||
          typeof since !== 'string' ||
          !['number', 'undefined'].includes(typeof lockedMhz)
        )
          throw new Error('a lease of other types')
    },
  },
]

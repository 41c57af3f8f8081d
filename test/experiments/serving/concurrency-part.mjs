// The gain by places and load: when the order of admission pays, and what counts then.
import { LOADS, PLACES } from './concurrency.mjs'
import { CHUNK_TOKENS } from './engine.mjs'
import { fixed, groupsOf, percent, table } from './markdown.mjs'

const POLICIES = {
  answer: 'by expected answer, default ageing',
  work: '**by expected work, default ageing**',
  unaged: 'by expected work, no ageing',
  oracle: 'by true work, no ageing',
  memory: 'by memory × time, no ageing',
  reserve: 'FCFS, room for whole answers',
  lanes: 'FCFS, lane for the short',
}
const ALL_THREE = ['answer', 'work']
const TITLES = {
  'mixed models': 'Prompts and answers of the 17 models (prompts of 4 characters a token)',
  'Mooncake conversation':
    'Prompts and answers as Mooncake recorded them, estimates with the predictor’s measured error',
}

export function concurrencyPart(found) {
  const cell = (log, engine, places, load, policy) =>
    found.find(
      (one) =>
        one.log === log && one.engine === engine && one.places === places && one.load === load && one.policy === policy,
    )
  const tables = groupsOf(found, 'log').flatMap((log) =>
    groupsOf(found, 'engine').map((engine) => {
      const rows = PLACES.flatMap((places) =>
        LOADS.map((load) => {
          const of = (policy) => cell(log, engine, places, load, policy)
          const base = of('fcfs')
          return [
            ...[places, load, fixed(base.meanBatch, 0), `${fixed(100 * base.meanCache01, 0)} %`],
            [base.meanJct, base.meanTtft, base.p99Jct].map(seconds).join(', '),
            ...Object.keys(POLICIES).map((policy) => changes(of(policy).overFcfs, ALL_THREE.includes(policy))),
          ]
        }),
      )
      const head = ['places', 'ρ', 'batch', 'cache', 'FCFS: mean, first token, p99 s', ...Object.values(POLICIES)]
      return `${TITLES[log]}; ${engine}:\n\n${table(head, rows)}`
    }),
  )
  return [INTRODUCTION, ...tables, conclusion(cell)].join('\n\n')
}

const seconds = (value) => fixed(value, value < 10 ? 1 : 0)
const whole = (ratio) => percent(ratio).replace(/\.\d/, '').replace(/^−0 /, '0 ').replace(/^\+0 /, '0 ')
const changes = ({ meanJct, meanTtft, p99Jct }, isWhole) =>
  isWhole ? [meanJct, meanTtft, p99Jct].map(whole).join(', ') : whole(meanJct)

const INTRODUCTION = `**A simulation** of an engine with continuous batching, iteration by iteration (\`runEngine\` of \`trimtab/schedule\`), Poisson arrivals, four A100 80 GB (tensor parallel, NVLink). **Measured** (Vidur, \`../shared/data/gpu\`): projections, MLP, norms and all-reduces of a layer by the tokens of an iteration, 80 layers. **By formula**: attention of a decoded token reads the request’s keys and values, 2 · layers · KV heads · 128 · 2 bytes a token, at 70 % of 4 × 2.04 TB/s; attention of a prompt takes 4 · layers · width operations for each pair of tokens at half of 4 × 312 TFLOPS; the cache has 90 % of the memory less the weights: Llama-2-70B (8 KV heads) 0.33 MB a token, Qwen-72B (64) 2.6 MB. Prompts are taken in by chunks of ${CHUNK_TOKENS} tokens beside the running batch, in the order of admission. When the cache is full, who was admitted last is computed anew and goes first then. Not modelled: the head of the vocabulary, the host, prefix caching, preemption for the sake of order.

ρ: the rate of arrivals beside that at which first come, first served comes along when somebody always waits (over the middle of such a run) with as many places. Work of a request: its answer and 0.05 of its prompt, in tokens; of what waits all of it remains, since who lost its place goes first. Lane: of the half with more work no more than 3/4 of the places. Changes against FCFS: of the mean completion time; in the first two columns also of the mean time to the first token and of the 99th percentile of completion times.`

function conclusion(cell) {
  const short = (places, load, policy) =>
    whole(cell('mixed models', 'Llama-2-70B', places, load, policy).overFcfs.meanJct)
  const long = (policy, name = 'meanJct') =>
    whole(cell('Mooncake conversation', 'Llama-2-70B', 64, 0.9, policy).overFcfs[name])
  const waits = cell('mixed models', 'Llama-2-70B', 64, 0.9, 'fcfs').meanWait
  const preempted = (policy) => fixed(cell('Mooncake conversation', 'Qwen-72B', 64, 0.9, policy).preemptions, 0)
  const full = (policy) => whole(cell('Mooncake conversation', 'Qwen-72B', 64, 0.9, policy).overFcfs.meanJct)
  return [
    `**When ordering pays.** Where requests wait for a place: short prompts, default ageing, ρ 0.9: ${short(4, 0.9, 'answer')} at 4 places, ${short(16, 0.9, 'answer')} at 16, ${short(64, 0.9, 'answer')} at 64; ρ 1.1: ${short(64, 1.1, 'answer')} at 64, where the backlog grows with the run and the gain with it. At 64 places and ρ 0.9 next to nobody waits (${fixed(waits, 2)} s on average), so no order of admission changes anything, nor does keeping room for whole answers (${short(64, 0.9, 'reserve')}) or a lane for the short (${short(64, 0.9, 'lanes')}): the time goes into the batch.`,
    `**What pays there** is to count the prompt where prompts are long. Mooncake’s take more work than its answers: ordered by the answer 64 places at ρ 0.9 gain ${long('answer')}, by the whole work ${long('work')} (first token ${long('work', 'meanTtft')}, p99 ${long('work', 'p99Jct')}), which is what \`promptTokens\` of the scheduler is for. Where the cache is what is short (Qwen-72B: three of these requests fill it) it is ${full('work')}; ordering by memory × time is as good as by work (${full('memory')} and ${full('unaged')} without ageing), and keeping room for whole answers saves the computing anew (${preempted('fcfs')} → ${preempted('reserve')} times in a run) but little time (${full('reserve')}).`,
  ].join('\n\n')
}

// μ-Serve's semantic cache (6.3.3) on real prompts and lengths: how often a prompt is like one that was answered before,
// and how near the length of that answer comes. Requests come in random order; each is looked up, then learned.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { percentile, Random } from '@trimtab/core'
import { createServeCore, SemanticCache } from '@trimtab/serve'

const FILE = fileURLToPath(new URL('../../../shared/data/output-length/train.jsonl.gz', import.meta.url))
const THRESHOLDS = [0.6, 0.7, 0.8, 0.9, 0.95]

export const SCALES = {
  smoke: { rows: 1000, capacity: 256, seeds: [1] },
  gate: { rows: Number.POSITIVE_INFINITY, capacity: 1024, seeds: [1, 2, 3] },
  paper: { rows: Number.POSITIVE_INFINITY, capacity: 16_384, seeds: [1, 2, 3] },
}

function shuffled(core, rows, seed) {
  const random = new Random(core, seed)
  const order = [...rows]
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.integer(i + 1)
    ;[order[i], order[j]] = [order[j], order[i]]
  }
  random.dispose()
  return order
}

/** How many octaves lie between two lengths. */
const octaves = (core, a, b) => Math.abs(core.math.log((a + 1) / (b + 1))) / core.math.log(2)

function passOf(core, rows, medians, { threshold, capacity }) {
  const cache = new SemanticCache(core, { threshold, capacity })
  const errors = []
  const usual = []
  for (const { model, prompt, output_tokens: tokens } of rows) {
    const hit = cache.find(model, prompt)
    if (hit) {
      errors.push(octaves(core, hit.tokens, tokens))
      usual.push(octaves(core, medians.get(model), tokens))
    }
    cache.learn(model, prompt, tokens)
  }
  cache.dispose()
  return { errors, usual, share: errors.length / rows.length }
}

function mediansOf(rows) {
  const lengths = new Map()
  for (const { model, output_tokens: tokens } of rows) lengths.set(model, [...(lengths.get(model) ?? []), tokens])
  return new Map([...lengths].map(([model, tokens]) => [model, percentile(tokens, 50)]))
}

const percent = (share) => `${(100 * share).toFixed(1)} %`
const factor = (errors) => (errors.length > 0 ? `${(2 ** percentile(errors, 50)).toFixed(2)}×` : '–')
const within = (errors) =>
  errors.length > 0 ? percent(errors.filter((error) => error <= 0.5).length / errors.length) : '–'

export async function run(scaleName, progress) {
  if (!existsSync(FILE))
    return { markdown: '# Semantic cache\n\n**Not judged: ../shared/data is absent.**\n', json: {}, isShown: false }
  const scale = SCALES[scaleName]
  const core = await createServeCore()
  const all = gunzipSync(readFileSync(FILE))
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const rows = shuffled(core, all, 0).slice(0, scale.rows)
  const medians = mediansOf(rows)
  const figures = THRESHOLDS.map((threshold) => {
    progress(`threshold ${threshold}`)
    const passes = scale.seeds.map((seed) =>
      passOf(core, shuffled(core, rows, seed), medians, { threshold, capacity: scale.capacity }),
    )
    const [errors, usual] = ['errors', 'usual'].map((key) => passes.flatMap((pass) => pass[key]))
    const share = passes.reduce((sum, pass) => sum + pass.share, 0) / passes.length
    return {
      ...{ threshold, share, hits: errors.length },
      cache: { medianFactor: factor(errors), withinRoot2: within(errors) },
      medianOfModel: { medianFactor: factor(usual), withinRoot2: within(usual) },
    }
  })
  const lines = figures.map(
    ({ threshold, share, cache, medianOfModel }) =>
      `| ${threshold} | ${percent(share)} | ${cache.medianFactor} | ${cache.withinRoot2} | ${medianOfModel.medianFactor} | ${medianOfModel.withinRoot2} |`,
  )
  const markdown = `${[
    '# Semantic cache',
    `${rows.length} requests of ${medians.size} models (\`../shared/data/output-length/train.jsonl.gz\`) in random order, ${scale.seeds.length} orders; a cache of ${scale.capacity} prompts with the embedding by words. The split was cleaned of near copies, and no prompt comes twice for one model: what hits here is alike, not the same. Traffic that asks the same again hits more, and those hits are only as far off as the model's own variance.`,
    'Of the requests that hit: by which factor the length of the similar prompt is off in the median, and how many are within a factor of √2 (half an octave); beside it the same for the median of the model’s lengths, which needs no prompt.',
    `| threshold | hits | cache: off by | within √2 | median of the model: off by | within √2 |\n| --- | --- | --- | --- | --- | --- |\n${lines.join('\n')}`,
    `Command: \`npm run experiment -- semantic-cache --scale ${scaleName}\``,
  ].join('\n\n')}\n`
  return { markdown, json: { scale: scaleName, setting: { ...scale, rows: rows.length }, figures }, isShown: true }
}

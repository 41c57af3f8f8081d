// The engines of the simulation at real concurrency: two models of 70 billion parameters on four A100 80 GB (NVLink), one that
// holds little of each token (grouped queries) and one that holds eight times as much.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const DATA = new URL('../../../../shared/data/gpu/', import.meta.url)
export const ENGINE_FILES = ['vidur_op_profile.csv.gz', 'vidur_collectives.csv.gz'].map((name) => new URL(name, DATA))

const GPUS = 4
const LAYERS = 80
const WIDTH = 8192
const HEAD = 128
const BYTES = 2
const MODELS = {
  'Llama-2-70B': { profile: 'meta-llama/Llama-2-70b-hf', kvHeads: 8, parameters: 69e9 },
  'Qwen-72B': { profile: 'Qwen/Qwen-72B', kvHeads: 64, parameters: 72e9 },
}
/** Of each layer, by Vidur's names; `add` is there twice, an all-reduce follows attention and MLP. */
const OPERATORS = [
  ...['input_layernorm', 'attn_pre_proj', 'attn_rope', 'attn_post_proj', 'add'],
  ...['post_attention_layernorm', 'mlp_up_proj', 'mlp_act', 'mlp_down_proj', 'add'],
]

const GPU_MEMORY_BYTES = 80e9
const MEMORY_SHARE = 0.9 // vLLM's gpu_memory_utilization
/** A100 80 GB SXM; the shares that kernels of attention reach are assumed. */
const MEMORY_BYTES_PER_SECOND = 2.039e12 * 0.7
const FLOPS = 312e12 * 0.5

export const CHUNK_TOKENS = 512
const MOST_TOKENS = CHUNK_TOKENS + 256

/** By name: what `runEngine` wants, for so many places. */
export function readEngines() {
  const [operators, collectives] = ENGINE_FILES.map(rowsOf)
  const isAllReduce = (row) => row.network === 'a100_dgx' && row.collective === 'all_reduce'
  const isOurs = (row) => Number(row.num_workers) === GPUS && Number(row.devices_per_node) === GPUS
  const allReduce = curveOf(
    collectives.filter((row) => isAllReduce(row) && isOurs(row)),
    'size_bytes',
  )
  return Object.fromEntries(
    Object.entries(MODELS).map(([name, model]) => [name, engineOf(model, operators, allReduce)]),
  )
}

function engineOf({ profile, kvHeads, parameters }, operators, allReduce) {
  const isOurs = (row) => row.device === 'a100' && row.model === profile && Number(row.tensor_parallel) === GPUS
  const ours = operators.filter(isOurs)
  const curves = OPERATORS.map((op) =>
    curveOf(
      ours.filter((row) => row.op === op),
      'num_tokens',
    ),
  )
  const layerMs = (tokens) => sum(curves.map((at) => at(tokens))) + 2 * allReduce(tokens * WIDTH * BYTES)
  const seconds = Float64Array.from({ length: MOST_TOKENS + 1 }, (_, tokens) => (LAYERS * layerMs(tokens)) / 1000)
  const kvBytes = 2 * LAYERS * kvHeads * HEAD * BYTES
  return (places) => ({
    places,
    kvTokens: Math.floor((GPUS * GPU_MEMORY_BYTES * MEMORY_SHARE - parameters * BYTES) / kvBytes),
    chunkTokens: CHUNK_TOKENS,
    linearSeconds: (tokens) => seconds[tokens],
    secondsPerCachedToken: kvBytes / (GPUS * MEMORY_BYTES_PER_SECOND),
    secondsPerPromptPair: (4 * LAYERS * WIDTH) / (GPUS * FLOPS),
  })
}

const sum = (values) => values.reduce((total, value) => total + value, 0)

function rowsOf(url) {
  const [head, ...lines] = gunzipSync(readFileSync(url)).toString('utf8').trim().split('\n')
  const names = head.split(',')
  return lines.map((line) => {
    const cells = line.split(',')
    return Object.fromEntries(names.map((name, i) => [name, cells[i]]))
  })
}

/** Straight lines between the measured medians, and on beyond the ends as the nearest one. */
function curveOf(rows, x) {
  const points = rows.map((row) => [Number(row[x]), Number(row.median_ms)]).sort(([a], [b]) => a - b)
  return (at) => {
    const next = points.findIndex(([value]) => value >= at)
    if (next < 0) return points.at(-1)[1]
    if (next === 0) return points[0][1]
    const [[x0, y0], [x1, y1]] = [points[next - 1], points[next]]
    return x1 === x0 ? y1 : y0 + ((y1 - y0) * (at - x0)) / (x1 - x0)
  }
}

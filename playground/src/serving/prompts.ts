// Requests that this page makes up: kinds of prompts, each with a law of its answers' lengths. Nobody's prompts, no model's answers.
import type { Random } from 'trimtab/core'
import type { ServeCore } from 'trimtab/serve'

export interface MadeRequest {
  readonly model: string
  readonly prompt: string
  /** Output tokens. */
  readonly tokens: number
}

/** A prompt with places for a topic; the median of its answers' tokens, and the deviation of their logarithm. */
type Kind = readonly [prompt: string, median: number, spread: number]

const KINDS: readonly Kind[] = [
  ['Answer yes or no: is # older than the steam engine?', 3, 0.4],
  ['In one word, what do people most often get wrong about #?', 4, 0.5],
  ['Translate into French: "I would like to know more about #."', 16, 0.3],
  ['Give # a title of at most eight words.', 11, 0.3],
  ['Define # in one sentence.', 38, 0.35],
  ['Is the tone of this sentence positive or negative? "# never fails to surprise me."', 9, 0.6],
  ['Extract the nouns from: "Last year # became the talk of the town."', 22, 0.4],
  ['Write a haiku about #.', 24, 0.2],
  ['Summarize what is known about # in two sentences.', 75, 0.3],
  ['List five facts about #.', 130, 0.35],
  ['Write an SQL query that counts readers per month in a table on #.', 110, 0.4],
  ['Write a regular expression that finds # in a text, and nothing else.', 85, 0.5],
  ['Write a short email that asks a colleague for help with #.', 150, 0.3],
  ['Explain # to a child of ten.', 230, 0.4],
  ['Compare # with its closest alternative in a table.', 290, 0.4],
  ['Write a Python function that keeps statistics about #, with tests.', 430, 0.45],
  ['What are the pros and cons of #?', 380, 0.35],
  ['Give me step-by-step instructions to get started with #.', 480, 0.4],
  ['Act as an interviewer who knows everything about # and interview me.', 190, 0.8],
  ['Write a detailed essay on the history of #.', 950, 0.35],
  ['Write a story of three chapters in which # plays the main part.', 1300, 0.4],
  ['Design a complete course on # with ten lessons and exercises.', 1500, 0.35],
]

const TOPICS = [
  ...['tidal power', 'chess openings', 'sourdough bread', 'the Roman calendar', 'queueing theory', 'bicycle gears'],
  ...[
    'coral reefs',
    'typewriters',
    'jazz harmony',
    'glaciers',
    'sundials',
    'crossword puzzles',
    'lighthouses',
    'honeybees',
  ],
  ...[
    'paper folding',
    'volcanoes',
    'weather maps',
    'sailing knots',
    'prime numbers',
    'railway signals',
    'tea ceremonies',
  ],
  ...['cave paintings', 'telescopes', 'compost', 'Morse code', 'pottery', 'migrating birds', 'mountain huts'],
]

/** Models, and how much longer than the others each answers. */
const MODELS = [
  ['terse-7b', 0.6],
  ['plain-70b', 1],
  ['talkative-8b', 1.7],
] as const

const LONGEST = 4000

/** One request, drawn: a model, a kind, a topic, a length. */
export function makeRequest(core: ServeCore, random: Random): MadeRequest {
  const [model, factor] = MODELS[random.integer(MODELS.length)]!
  const [prompt, median, spread] = KINDS[random.integer(KINDS.length)]!
  const topic = TOPICS[random.integer(TOPICS.length)]!
  const tokens = Math.round(median * factor * core.math.exp(spread * random.normal()))
  return { model, prompt: prompt.replace('#', topic), tokens: Math.min(LONGEST, Math.max(1, tokens)) }
}

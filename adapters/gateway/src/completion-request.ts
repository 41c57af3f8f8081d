import { concatenateRounds, estimateTokens } from '@trimtab/serve'
import { HttpError } from './http-error.js'
import { jsonPaths, skimJson } from './skim-json.js'

/** What a scheduler wants to know of a request; everything else stays in the bytes. */
export interface CompletionRequest {
  /** Empty where the client named none: a server of one model takes that. */
  readonly model: string
  /** Last rounds of the conversation, or the end of the prompt. */
  readonly prompt: string
  /** About how many tokens all of it takes: the rest is held to be as dense as what is kept. */
  readonly promptTokens: number
  /** Where each answer is cut, in tokens. */
  readonly maxTokens?: number
  /** How many answers were asked for: `n`, for each prompt of a list. */
  readonly answers: number
}

// Paths in the bodies of all protocols: none of them means something else in another one.
const MAX_TOKENS = ['max_completion_tokens', 'max_tokens', 'max_output_tokens']
const SYSTEM = ['system', 'system.text', 'instructions']
const CONVERSATION = [
  ...[
    'prompt',
    'messages.content',
    'messages.content.text',
    'messages.content.content',
    'messages.content.content.text',
  ],
  ...['input', 'input.content', 'input.content.text', 'input.output'],
]
const WANTED = jsonPaths(['model', 'n', ...MAX_TOKENS, ...SYSTEM, ...CONVERSATION])

/**
 * Reads a body of chat or text completions, of responses, or of Anthropic's messages. Only what cannot be read at all is refused: whether
 * a request makes sense is for the upstream to say, in its own words.
 *
 * @throws {HttpError} 400 `body_invalid`
 */
export async function readCompletionRequest(body: Buffer): Promise<CompletionRequest> {
  const scalars = new Map<string, unknown>()
  const [system, conversation] = [new Tail(), new Tail()]
  let prompts = 0
  const kind = await skimJson(body, WANTED, (path, value, cutBytes) => {
    if (path === 'prompt' && typeof value === 'string') prompts++
    if (SYSTEM.includes(path)) system.add(value, cutBytes)
    else if (CONVERSATION.includes(path)) conversation.add(value, cutBytes)
    else scalars.set(path, value)
  })
  // Never in the parser's own words: they quote the body, and messages end up in logs.
  if (kind === 'invalid')
    throw invalid('the body is not JSON in UTF-8, or nested too deeply: send {"model": …, "messages": […]}')
  if (kind === 'other') throw invalid('the body must be a JSON object: {"model": …, "messages": […]}')
  const model = scalars.get('model')
  const n = scalars.get('n')
  const maxTokens = MAX_TOKENS.map((name) => scalars.get(name)).find(isCount)
  const prompt = concatenateRounds([{ content: system.text }, { content: conversation.text }])
  const share = prompt === '' ? 1 : Math.max(1, (system.length + conversation.length) / prompt.length)
  return {
    model: typeof model === 'string' ? model : '',
    prompt,
    promptTokens: Math.round(share * estimateTokens(prompt)),
    ...(maxTokens !== undefined && { maxTokens }),
    answers: (isCount(n) ? n : 1) * Math.max(1, prompts),
  }
}

const invalid = (message: string): HttpError => new HttpError(400, 'body_invalid', message)
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0

const KEPT = 32 * 1024 // UTF-16 units: more than the tokens that a predictor reads

/** The last of many texts. */
class Tail {
  /** Of all of them. */
  length = 0
  #texts: string[] = []
  #kept = 0

  add(text: unknown, cutBytes: number): void {
    if (typeof text !== 'string' || text === '') return
    this.#texts.push(text)
    this.length += text.length + cutBytes
    this.#kept += text.length
    if (this.#kept <= 2 * KEPT) return
    this.#texts = [this.text.slice(-KEPT)]
    this.#kept = KEPT
  }

  get text(): string {
    return this.#texts.join('\n')
  }
}

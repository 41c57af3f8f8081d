import { concatenateRounds, textOf } from '@trimtab/serve'
import { HttpError } from './http-error.js'

/** What a scheduler wants to know of a request; everything else stays in the bytes. */
export interface CompletionRequest {
  /** Empty where the client named none: a server of one model takes that. */
  readonly model: string
  /** Last rounds of the conversation, or the prompt. */
  readonly prompt: string
  /** Where each answer is cut, in tokens. */
  readonly maxTokens?: number
  /** How many answers were asked for (`n`). */
  readonly answers: number
}

const invalid = (code: string, message: string): HttpError => new HttpError(400, code, message)
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a body of `/v1/chat/completions` or `/v1/completions`. Only what cannot be read at all is refused: whether a request makes
 * sense is for the upstream to say, in its own words.
 *
 * @throws {HttpError} 400 `body_invalid`
 */
export function readCompletionRequest(body: Uint8Array): CompletionRequest {
  const fields = parseObject(body)
  const maxTokens = [fields.max_completion_tokens, fields.max_tokens].find(isCount)
  const { model, messages, prompt, n } = fields
  return {
    model: typeof model === 'string' ? model : '',
    prompt: Array.isArray(messages) ? concatenateRounds(messages) : textOf(prompt),
    ...(maxTokens !== undefined && { maxTokens }),
    answers: isCount(n) ? n : 1,
  }
}

function parseObject(body: Uint8Array): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(body))
  } catch {
    // The parser's own words quote the body, and messages end up in logs.
    throw invalid('body_invalid', 'the body is no JSON in UTF-8: send {"model": …, "messages": […]}')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('body_invalid', 'the body must be a JSON object: {"model": …, "messages": […]}')
  return value as Record<string, unknown>
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0

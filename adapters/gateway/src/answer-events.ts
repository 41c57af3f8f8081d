// The events of an answer that is streamed: OpenAI's chat and text completions, its responses, and Anthropic's messages. Their shapes
// exclude each other, so that the event itself tells its protocol; everything in it may be missing.
import type { AnswerTally } from './answer-tally.js'

type Fields = Readonly<Record<string, unknown>>

/** Adds what the data of an event says. What is not quite JSON teaches nothing. */
export function readEvent(data: string, tally: AnswerTally): void {
  if (data === '[DONE]') {
    tally.hasEnded = true
    return
  }
  const event = fieldsOf(parse(data))
  const usage = event.usage ?? fieldsOf(event.response).usage
  if (usage) tally.usage = usageOf(fieldsOf(usage)) ?? tally.usage
  if (event.error) tally.hasFailed = true
  if (Array.isArray(event.choices)) for (const choice of event.choices) readChoice(fieldsOf(choice), tally)
  if (typeof event.type === 'string') readTyped(event.type, event, tally)
}

function readChoice({ index, text, delta, finish_reason }: Fields, tally: AnswerTally): void {
  const choice = typeof index === 'number' ? index : 0
  const { content, reasoning_content, reasoning, refusal, tool_calls } = fieldsOf(delta)
  tally.addText(choice, text ?? content)
  tally.addText(choice, reasoning_content ?? reasoning)
  tally.addText(choice, refusal)
  if (Array.isArray(tool_calls)) {
    for (const call of tool_calls) {
      const { name, arguments: input } = fieldsOf(fieldsOf(call).function)
      tally.addText(choice, name)
      tally.addText(choice, input)
    }
  }
  tally.setReason(choice, finish_reason)
}

function readTyped(type: string, event: Fields, tally: AnswerTally): void {
  switch (type) {
    case 'response.completed':
    case 'response.incomplete': // reached its limit of tokens: whole, like `length`
    case 'message_stop':
      tally.hasEnded = true
      return
    case 'response.failed':
    case 'response.cancelled':
    case 'error':
      tally.hasFailed = true
      return
    case 'content_block_delta': {
      const { text, partial_json, thinking } = fieldsOf(event.delta)
      for (const piece of [text, partial_json, thinking]) tally.addText(0, piece)
      return
    }
    case 'message_delta':
      tally.setReason(0, fieldsOf(event.delta).stop_reason)
      return
    default:
      if (type.startsWith('response.') && type.endsWith('.delta')) tally.addText(0, event.delta)
  }
}

function usageOf({ completion_tokens, output_tokens }: Fields): number | undefined {
  return [completion_tokens, output_tokens].find(isCount)
}

/** Whether a usage is one. */
export const isCount = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && Number.isFinite(value)

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // it is still relayed
  }
}

// The shapes of the protocols, for the double: OpenAI's chat and text completions, its responses, Anthropic's messages. Each says that it
// comes from a double.

/** @returns {{ role(): string, token(): string, end(tokens: number): string, whole(tokens: number): object }} of this path */
export function wordsOf(path, request, options) {
  if (path.endsWith('/responses')) return new ResponsesWords(request, options)
  if (path.endsWith('/messages')) return new MessagesWords(request, options)
  return new CompletionWords(path.includes('chat/'), request, options)
}

const typed = (type, fields) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

class CompletionWords {
  constructor(isChat, request, { text = ' w', usage, reason = 'stop' }) {
    this.isChat = isChat
    this.text = text
    this.reason = reason
    this.choices = Array.from({ length: request.n ?? 1 }, (_, index) => index)
    this.tellsUsage = usage ?? (!request.stream || request.stream_options?.include_usage === true)
    this.frame = {
      id: `double-${request.user ?? 0}`,
      created: 0,
      model: request.model,
      system_fingerprint: 'protocol-double',
    }
  }

  role() {
    if (!this.isChat) return ''
    return this.choices
      .map((index) => this.#event([this.#choice(index, { role: 'assistant', content: '' }, null)]))
      .join('')
  }

  token() {
    return this.choices.map((index) => this.#event([this.#choice(index, { content: this.text }, null)])).join('')
  }

  end(tokens) {
    const usage = this.tellsUsage ? this.#event([], this.#usage(tokens)) : ''
    const ends = this.choices.map((index) => this.#event([this.#choice(index, {}, this.reason)])).join('')
    return `${ends}${usage}data: [DONE]\n\n`
  }

  whole(tokens) {
    const content = this.text.repeat(tokens)
    const piece = this.isChat ? { message: { role: 'assistant', content } } : { text: content }
    return {
      ...this.frame,
      object: this.isChat ? 'chat.completion' : 'text_completion',
      choices: this.choices.map((index) => ({ index, ...piece, finish_reason: this.reason })),
      ...(this.tellsUsage && { usage: this.#usage(tokens) }),
    }
  }

  #choice(index, piece, finish_reason) {
    return { index, ...(this.isChat ? { delta: piece } : { text: piece.content ?? '' }), finish_reason }
  }

  #event(choices, usage = null) {
    const object = this.isChat ? 'chat.completion.chunk' : 'text_completion'
    return `data: ${JSON.stringify({ ...this.frame, object, choices, ...(this.tellsUsage && { usage }) })}\n\n`
  }

  #usage(tokens) {
    const completion_tokens = tokens * this.choices.length
    return { prompt_tokens: 1, completion_tokens, total_tokens: completion_tokens + 1 }
  }
}

class ResponsesWords {
  constructor(request, { text = ' w', usage = true, reason = 'completed' }) {
    this.text = text
    this.usage = usage
    this.reason = reason
    this.frame = { id: `double-${request.user ?? 0}`, object: 'response', model: request.model, created_at: 0 }
  }

  role() {
    return typed('response.created', { response: { ...this.frame, status: 'in_progress', output: [], usage: null } })
  }

  token() {
    return typed('response.output_text.delta', {
      item_id: 'msg_double',
      output_index: 0,
      content_index: 0,
      delta: this.text,
    })
  }

  end(tokens) {
    const whole = this.whole(tokens)
    const [{ text }] = whole.output[0].content
    return (
      typed('response.output_text.done', { item_id: 'msg_double', output_index: 0, content_index: 0, text }) +
      typed(`response.${this.reason}`, { response: whole })
    )
  }

  whole(tokens) {
    const content = [{ type: 'output_text', text: this.text.repeat(tokens), annotations: [] }]
    return {
      ...this.frame,
      status: this.reason,
      error: null,
      output: [{ id: 'msg_double', type: 'message', role: 'assistant', status: 'completed', content }],
      ...(this.usage && { usage: { input_tokens: 1, output_tokens: tokens, total_tokens: tokens + 1 } }),
    }
  }
}

class MessagesWords {
  constructor(request, { text = ' w', usage = true, reason = 'end_turn' }) {
    this.text = text
    this.usage = usage
    this.reason = reason
    this.frame = { id: `double-${request.user ?? 0}`, type: 'message', role: 'assistant', model: request.model }
  }

  role() {
    const message = { ...this.frame, content: [], stop_reason: null, usage: { input_tokens: 1, output_tokens: 1 } }
    const block = { index: 0, content_block: { type: 'text', text: '' } }
    return typed('message_start', { message }) + typed('content_block_start', block) + typed('ping', {})
  }

  token() {
    return typed('content_block_delta', { index: 0, delta: { type: 'text_delta', text: this.text } })
  }

  end(tokens) {
    const usage = this.usage ? { usage: { output_tokens: tokens } } : {}
    return (
      typed('content_block_stop', { index: 0 }) +
      typed('message_delta', { delta: { stop_reason: this.reason, stop_sequence: null }, ...usage }) +
      typed('message_stop', {})
    )
  }

  whole(tokens) {
    return {
      ...this.frame,
      content: [{ type: 'text', text: this.text.repeat(tokens) }],
      stop_reason: this.reason,
      ...(this.usage && { usage: { input_tokens: 1, output_tokens: tokens } }),
    }
  }
}

/** What is known of a request before it runs. */
export interface LengthRequest {
  /** The model that will answer; its lengths are learned apart from the others'. */
  readonly model: string
  /** The prompt, or the rounds of a conversation put together. */
  readonly prompt: string
  /** Where the answer is cut, in tokens; a prediction is never above. */
  readonly maxTokens?: number
}

/** How long the answer will be. */
export interface LengthPrediction {
  /** Expected output tokens. */
  readonly tokens: number
  /** The class as a real number, 0…4: how sure the middle of a class is. */
  readonly score: number
  /** 0…4: by the percentiles 25, 50, 75 and 99 of the model's own answers (6.3.2). */
  readonly class: number
  /** Who knew: a similar prompt that was answered before, the trained model, or what is usual. */
  readonly source: 'cache' | 'model' | 'prior'
}

/** Predicts how many tokens a request will take, and learns from every one that is done. */
export interface LengthEstimator {
  /** How long the answer will be, at once or later. */
  predict(request: LengthRequest): LengthPrediction | Promise<LengthPrediction>
  /** @param outputTokens what the request took */
  observe(request: LengthRequest, outputTokens: number): void
}

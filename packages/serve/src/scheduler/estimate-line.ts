import type { LengthPrediction } from '../predict/index.js'
import type { Job } from './job.js'

type Answer = LengthPrediction | undefined

/**
 * Estimates that come later are put to use in the order in which they were asked for: who came first is never passed by an
 * equal whose answer was faster. Nobody waits for them: the jobs stand in the queue meanwhile, and one that leaves it holds
 * nobody up, so an estimator that never answers costs order and nothing else.
 */
export class EstimateLine<Work> {
  readonly #use: (job: Job<Work>, prediction: LengthPrediction) => void
  /** By order of asking. */
  readonly #answers = new Map<Job<Work>, Answer | 'pending'>()

  constructor(use: (job: Job<Work>, prediction: LengthPrediction) => void) {
    this.#use = use
  }

  /** @param answer  undefined when there is none; must not reject */
  append(job: Job<Work>, answer: Promise<Answer>): void {
    this.#answers.set(job, 'pending')
    answer.then((prediction) => {
      if (!this.#answers.has(job)) return
      this.#answers.set(job, prediction)
      this.#advance()
    })
  }

  /** The job needs no estimate any more. */
  remove(job: Job<Work>): void {
    if (this.#answers.size > 0 && this.#answers.delete(job)) this.#advance()
  }

  #advance(): void {
    for (const [job, answer] of this.#answers) {
      if (answer === 'pending') return
      this.#answers.delete(job)
      if (answer) this.#use(job, answer)
    }
  }
}

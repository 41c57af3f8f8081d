import type { Job } from './job.js'

/** The waiting in the order in which they came: a list through the jobs themselves, so that anyone leaves in O(1). */
export class Arrivals<Work> {
  #oldest: Job<Work> | undefined
  #newest: Job<Work> | undefined

  get oldest(): Job<Work> | undefined {
    return this.#oldest
  }

  append(job: Job<Work>): void {
    job.older = this.#newest
    if (this.#newest) this.#newest.newer = job
    else this.#oldest = job
    this.#newest = job
  }

  remove(job: Job<Work>): void {
    if (job.older) job.older.newer = job.newer
    else this.#oldest = job.newer
    if (job.newer) job.newer.older = job.older
    else this.#newest = job.older
    job.older = undefined
    job.newer = undefined
  }
}

import type { Job } from './job.js'

/** The waiting in the order in which they came: a list through the jobs themselves, so that anyone leaves in O(1). */
export class Arrivals<Work> {
  #oldest: Job<Work> | undefined
  #newest: Job<Work> | undefined

  get oldest(): Job<Work> | undefined {
    return this.#oldest
  }

  /** A job that comes, or comes back: it stands where its arrival puts it. */
  insert(job: Job<Work>): void {
    const isNewest = !this.#newest || this.#newest.arrivalMs <= job.arrivalMs
    let newer = isNewest ? undefined : this.#oldest // who comes back is among the oldest
    while (newer && newer.arrivalMs <= job.arrivalMs) newer = newer.newer
    const older = newer ? newer.older : this.#newest
    job.newer = newer
    job.older = older
    if (older) older.newer = job
    else this.#oldest = job
    if (newer) newer.older = job
    else this.#newest = job
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

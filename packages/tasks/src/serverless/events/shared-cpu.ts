/** What computes on a node. */
export interface CpuJob {
  /** Its weight when cores are short. */
  shares: number
  /** Cores that it can use at most. */
  capCores: number
  /** CPU seconds still to do. */
  workLeft: number
  /** Cores that it has now. */
  rate: number
}

/** A job with fewer CPU seconds left is done: what remains is rounding. */
const DONE_SECONDS = 1e-9

/** The cores of one node, divided anew with every job that comes or goes, in proportion to shares (processor sharing). */
export class SharedCpu<Job extends CpuJob> {
  readonly cores: number
  readonly #jobs = new Set<Job>()
  #nowSeconds = 0
  #nextDoneSeconds = Number.POSITIVE_INFINITY

  constructor(cores: number) {
    this.cores = cores
  }

  /** When the next job is done unless one comes or goes before; Infinity without jobs. */
  get nextDoneSeconds(): number {
    return this.#nextDoneSeconds
  }

  start(job: Job, nowSeconds: number): void {
    this.#advance(nowSeconds)
    this.#jobs.add(job)
    this.#divide()
  }

  /** Takes out what is done. */
  takeDone(nowSeconds: number): readonly Job[] {
    this.#advance(nowSeconds)
    const done = [...this.#jobs].filter(({ workLeft }) => workLeft <= DONE_SECONDS)
    for (const job of done) this.#jobs.delete(job)
    this.#divide()
    return done
  }

  /** Divides anew after shares or caps of its jobs changed. */
  redivide(nowSeconds: number): void {
    this.#advance(nowSeconds)
    this.#divide()
  }

  #advance(nowSeconds: number): void {
    const seconds = nowSeconds - this.#nowSeconds
    this.#nowSeconds = nowSeconds
    for (const job of this.#jobs) job.workLeft -= job.rate * seconds
  }

  /** Cores in proportion to shares; what a job cannot use goes to the others. */
  #divide(): void {
    let open = [...this.#jobs]
    let cores = this.cores
    while (open.length > 0) {
      const level = cores / open.reduce((sum, { shares }) => sum + shares, 0) // cores of a share
      const capped = open.filter(({ shares, capCores }) => level * shares >= capCores)
      for (const job of open) job.rate = Math.min(job.capCores, level * job.shares)
      if (capped.length === 0) break
      for (const { capCores } of capped) cores -= capCores
      open = open.filter(({ shares, capCores }) => level * shares < capCores)
    }
    this.#nextDoneSeconds = Number.POSITIVE_INFINITY
    for (const { workLeft, rate } of this.#jobs)
      this.#nextDoneSeconds = Math.min(this.#nextDoneSeconds, this.#nowSeconds + workLeft / rate)
  }
}

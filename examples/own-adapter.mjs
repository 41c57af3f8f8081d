// Usage: node examples/own-adapter.mjs
// An adapter measures and actuates one host and decides nothing. The host here is this process, whose jobs real worker threads do; a rule says
// how many of them, and the guard lets it change that by one at a time. A policy would stand in the rule's place.
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { ControlLoop, rulePilot } from 'trimtab/control'
import { boxSpace } from 'trimtab/learn'

const JOBS = 120
const MOST_THREADS = 4
const WORK = `
const { parentPort } = require('node:worker_threads')
parentPort.on('message', (size) => {
  for (let hash = 0; size-- > 0; ) hash = (hash * 31 + size) | 0
  parentPort.postMessage('done')
})`

/** What would be a client of the host: jobs that wait, and the threads that do them. */
class ThreadPool {
  waiting = Array.from({ length: JOBS }, () => 2e6)
  threads = new Set()
  wanted = 0
  done = 0

  async resize(count) {
    this.wanted = count
    while (this.threads.size < count) {
      const thread = new Worker(WORK, { eval: true })
      thread.on('message', () => this.#finished(thread))
      this.threads.add(thread)
      this.#next(thread)
    }
  }

  #finished(thread) {
    this.done++
    this.#next(thread)
  }

  /** A job for it; none left, or one thread too many, and it goes. */
  #next(thread) {
    const size = this.threads.size <= this.wanted ? this.waiting.pop() : undefined
    if (size !== undefined) return thread.postMessage(size)
    this.threads.delete(thread)
    thread.terminate()
  }
}

class Threads {
  observation = boxSpace(['waiting'], 0, JOBS)
  action = boxSpace(['threads'], 1, MOST_THREADS)
  #pool = new ThreadPool()

  reset = async () => this.#see()

  async step([threads], signal) {
    await this.#pool.resize(Math.round(threads))
    await setTimeout(20, undefined, { signal })
    const info = { observedAtMs: performance.now(), done: this.#pool.done, threads: this.#pool.threads.size }
    const isOver = this.#pool.done === JOBS
    return { observation: this.#see(), reward: -threads, terminated: isOver, truncated: false, info }
  }

  #see = () => Float32Array.of(this.#pool.waiting.length)
}

const loop = new ControlLoop({
  environment: new Threads(),
  pilot: rulePilot({ name: 'a thread for thirty', decide: ([waiting], out) => out.fill(waiting / 30) }),
  guard: { limits: { threads: { increase: { maxStep: 1 }, decrease: { maxStep: 1 } } }, initialAction: [1] },
  clock: { now: () => performance.now() },
  episodes: 1,
})
let most = 0
for await (const { step, info } of loop) {
  most = Math.max(most, info.threads)
  if (step % 10 === 0) console.log(`${info.done} of ${JOBS} jobs done, ${info.threads} threads`)
}
console.log(`all ${JOBS} jobs done, by at most ${most} threads`)

// Usage: node examples/train-your-own.mjs
// A world of one's own: jobs arrive, some bursts among them, and a pool of workers serves them. How many workers?
// An idle worker costs, a waiting job costs more. The agent knows none of this; it tries.
import { createCore, Random } from '@trimtab/core'
import { boxSpace, createDqn, discreteSpace, evaluate, train } from '@trimtab/learn'

const core = await createCore()

class WorkerPool {
  observation = boxSpace(['waiting', 'arriving'], 0, 10)
  action = discreteSpace('workers', 8)
  random = new Random(core, 1)

  reset(seed) {
    this.random.reseed(seed, 1)
    Object.assign(this, { waiting: 0, isBurst: false, steps: 0 })
    return this.see(1)
  }

  step([workers]) {
    if (this.random.uniform() < 0.1) this.isBurst = !this.isBurst
    const arriving = this.isBurst ? 4 : 1
    this.waiting = Math.min(10, Math.max(0, this.waiting + arriving - workers))
    const reward = -(workers + this.waiting)
    return { observation: this.see(arriving), reward, terminated: false, truncated: ++this.steps === 100, info: {} }
  }

  see = (arriving) => Float32Array.of(this.waiting, arriving)
}

const pool = new WorkerPool()
const agent = createDqn(core, { observation: pool.observation, action: pool.action, seed: 1 })
train(agent, pool, {
  episodes: 60,
  onEpisode: ({ episode, reward }) =>
    episode % 20 === 19 && console.log(`episode ${episode + 1}: ${reward.toFixed(0)}`),
})
const always = (workers) => ({ name: `${workers} workers`, decide: (_, out) => out.fill(workers) })
for (const controller of [always(3), always(4), agent]) {
  const { mean, deviation } = evaluate(controller, pool)
  console.log(`${controller === agent ? 'learned' : controller.name}: ${mean.toFixed(0)} ± ${deviation.toFixed(0)}`)
}

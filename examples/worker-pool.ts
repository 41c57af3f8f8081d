// Usage: npx tsx examples/worker-pool.ts (or node, from 23.6 on)
// A pool of workers and jobs with deadlines: a rule, tuned for the objective, and a policy learned beside it.
//
// The objective: the fewest worker-hours with at most 0.5 % of jobs late. Days have a rhythm, every hour begins with a rush
// (somebody's cron jobs), and bursts come when they like. Workers take three minutes to start, so they must be there before.
// The rule knows load and queue, but no clock; whoever knows his rush hours can write them down, the policy finds them out.
import { EnvelopePilot, fitMargin } from '@trimtab/control'
import { type Controller, createCore, Random, type Step } from '@trimtab/core'
import { boxSpace, createDdpg, evaluate, runEpisode, type TrainingEnvironment } from '@trimtab/learn'

const BUDGET_PERCENT = 0.5
const LEARNING_DAYS = 60
const AGENTS = 3

const DAY = 86_400 // seconds
const MINUTE = 60
const START = 180
const WORK = 60 // of a job, in the mean
const FEWEST = 2
const MOST = 80
/** Of a late job, in worker-minutes: what the rule pays around its budget to avoid one more (20 to 60 between its settings). */
const PRICE = 50

const core = await createCore()
const { math } = core

interface Job {
  readonly startBy: number // started later, it misses its deadline
  readonly work: number
  isLate: boolean
}

interface Worker {
  readonly ready: number
  free: number
}

/** One episode is a day of 1440 steps of a minute. The action is how many workers there shall be, even in the logarithm. */
class WorkerPool implements TrainingEnvironment {
  readonly observation = boxSpace(
    ['load', 'trend', 'workers', 'starting', 'busy', 'queue', 'slack', 'daySin', 'dayCos', 'hourSin', 'hourCos'],
    -3,
    3,
  )
  readonly action = boxSpace(['workers'])
  readonly #random = new Random(core, 1)
  readonly #arrived = new Float64Array(8) // jobs in the last minutes, the latest first
  #now = 0
  #workers: Worker[] = []
  #leaving: Worker[] = [] // which still finish a job
  #queue: Job[] = [] // the most urgent first
  #busy = 0 // workers, over the last minute
  #size = 1 // of the day
  #burst = 1
  #burstMinutes = 0

  reset(seed: number): Float32Array {
    this.#random.reseed(seed, 1)
    this.#now = 0
    this.#workers = Array.from({ length: 8 }, () => ({ ready: 0, free: 0 }))
    this.#leaving = []
    this.#queue = []
    this.#busy = 3
    this.#size = math.exp(this.#random.normal(0, 0.15))
    this.#burst = 1
    this.#burstMinutes = 0
    this.#arrived.fill(MINUTE * this.#rate())
    return this.#see()
  }

  step([action]: Float32Array): Step {
    this.#resize(this.#workersOf(action!))
    const late = this.#serve(this.#arrivals())
    let paid = MINUTE * this.#workers.length // from the order on
    for (const { free } of this.#leaving) paid += Math.min(MINUTE, free - this.#now)
    this.#now += MINUTE
    this.#leaving = this.#leaving.filter(({ free }) => free > this.#now)
    const info = { late, jobs: this.#arrived[0]!, workerSeconds: paid }
    const reward = -(paid / MINUTE + PRICE * late) / 100
    return { observation: this.#see(), reward, terminated: false, truncated: this.#now === DAY, info }
  }

  /** Workers that the last three minutes' arrivals keep busy. */
  get load(): number {
    const [a, b, c] = this.#arrived
    return Math.max(1, ((a! + b! + c!) * WORK) / (3 * MINUTE))
  }

  get queued(): number {
    return this.#queue.length
  }

  /** Seconds that the most urgent job can still wait. */
  get slack(): number {
    return Math.min(150, Math.max(-150, (this.#queue[0]?.startBy ?? Number.POSITIVE_INFINITY) - this.#now))
  }

  actionOf = (workers: number): number => (2 * math.log(workers / FEWEST)) / math.log(MOST / FEWEST) - 1

  #workersOf = (action: number): number => Math.round(FEWEST * math.pow(MOST / FEWEST, (action + 1) / 2))

  #see(): Float32Array {
    const { load } = this
    const day = (2 * Math.PI * this.#now) / DAY
    const mean = this.#arrived.reduce((sum, jobs) => sum + jobs, 0) / this.#arrived.length
    const starting = this.#workers.filter(({ ready }) => ready > this.#now).length
    return Float32Array.of(
      math.log(load / 8),
      3 * math.log((this.#arrived[0]! + 1) / (mean + 1)),
      2 * math.log(this.#workers.length / load) - 1,
      (4 * starting) / load,
      2 * math.log((this.#busy + 0.5) / load),
      2 * math.log(1 + this.queued / load) - 1,
      this.slack / 150,
      math.sin(day),
      math.cos(day),
      math.sin(24 * day),
      math.cos(24 * day),
    )
  }

  /** Jobs a second. */
  #rate(): number {
    const day = (2 * Math.PI * this.#now) / DAY
    const rush = this.#now % 3600 < 6 * MINUTE ? 1.8 : 1
    return 0.15 * this.#size * this.#burst * rush * (1 - 0.7 * math.cos(day) + 0.15 * math.cos(2 * day + 1))
  }

  /** When jobs arrive in this minute. */
  #arrivals(): number[] {
    const random = this.#random
    if (this.#burstMinutes-- <= 0) {
      const begins = random.uniform() < 6 / 1440 // six a day
      this.#burst = begins ? 1.4 + 0.8 * random.uniform() : 1
      this.#burstMinutes = begins ? random.exponential(15) : 0
    }
    const times = Array.from({ length: random.poisson(MINUTE * this.#rate()) }, () => MINUTE * random.uniform())
    this.#arrived.copyWithin(1, 0)
    this.#arrived[0] = times.length
    return times.sort((a, b) => a - b).map((time) => this.#now + time)
  }

  /** First those go that are still starting, then idle ones, then those that are free soonest, when they have finished. */
  #resize(count: number): void {
    const now = this.#now
    const rank = ({ ready, free }: Worker): number => (ready > now ? -ready : Math.max(now, free))
    while (this.#workers.length < count) this.#workers.push({ ready: now + START, free: now + START })
    if (this.#workers.length === count) return
    const leaving = this.#workers.sort((a, b) => rank(a) - rank(b)).splice(0, this.#workers.length - count)
    this.#leaving.push(...leaving.filter(({ ready, free }) => ready <= now && free > now))
  }

  /** A minute of service, the most urgent first. @returns jobs that missed their deadline */
  #serve(arrivals: readonly number[]): number {
    const end = this.#now + MINUTE
    let late = 0
    let now = this.#now
    let busy = 0
    for (const { ready, free } of this.#workers) if (ready <= now) busy += Math.max(0, Math.min(MINUTE, free - now))
    for (let next = 0; ; ) {
      const until = arrivals[next] ?? end
      const worker = this.#workers.reduce((first, other) => (other.free < first.free ? other : first))
      if (this.#queue.length > 0 && worker.free <= until) {
        const job = this.#queue.shift()!
        const start = Math.max(worker.free, now)
        if (!job.isLate && start > job.startBy) late++
        worker.free = start + job.work
        busy += Math.max(0, Math.min(end, worker.free) - start)
      } else if (next < arrivals.length) {
        now = arrivals[next++]!
        const startBy = now + 30 + 120 * this.#random.uniform()
        const place = this.#queue.findIndex((job) => job.startBy > startBy)
        this.#queue.splice(place < 0 ? this.queued : place, 0, {
          startBy,
          work: this.#random.exponential(WORK),
          isLate: false,
        })
      } else {
        this.#busy = busy / MINUTE
        for (const job of this.#queue) {
          if (job.isLate || job.startBy > end) continue
          job.isLate = true
          late++
        }
        return late
      }
    }
  }
}

/**
 * As many workers as keep load and queue below a threshold of utilisation; fewer only when all of the last `patience` minutes
 * asked for fewer.
 */
class ThresholdRule implements Controller {
  readonly name = 'rule'
  readonly #pool: WorkerPool
  readonly #setting: Setting
  #wishes: number[] = []

  constructor(pool: WorkerPool, setting: Setting) {
    this.#pool = pool
    this.#setting = setting
  }

  beginEpisode(): void {
    this.#wishes = []
  }

  decide(_observation: Float32Array, out: Float32Array): void {
    const { utilisation, drain, patience } = this.#setting
    const wish = Math.ceil((this.#pool.load + drain * this.#pool.queued) / utilisation)
    this.#wishes = [wish, ...this.#wishes].slice(0, patience)
    out[0] = this.#pool.actionOf(Math.min(MOST, Math.max(FEWEST, ...this.#wishes)))
  }
}

interface Setting {
  readonly utilisation: number
  /** Workers for each job in the queue. */
  readonly drain: number
  readonly patience: number
}

const GRID: readonly Setting[] = [0.65, 0.7, 0.75, 0.8, 0.85].flatMap((utilisation) =>
  [0.25, 0.5].flatMap((drain) => [1, 4, 8].map((patience) => ({ utilisation, drain, patience }))),
)

interface Score {
  readonly latePercent: number
  /** Worker-hours a day. */
  readonly hours: number
}

const pool = new WorkerPool()
const days = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first + i)
const TUNING = days(1, 20)
const FITTING = days(101, 60) // late jobs are rare and come in heaps: a margin needs more days than a setting
const JUDGED = days(5_000_000, 60) // nothing is chosen on these

function judge(controller: Controller, seeds: readonly number[]): Score {
  let late = 0
  let jobs = 0
  let seconds = 0
  evaluate(controller, pool, {
    seeds,
    onTick({ info }) {
      late += info.late!
      jobs += info.jobs!
      seconds += info.workerSeconds!
    },
  })
  return { latePercent: (100 * late) / jobs, hours: seconds / 3600 / seeds.length }
}

/** The cheapest setting within the budget. */
function tune(): Setting {
  const tried = GRID.map((setting) => ({ setting, ...judge(new ThresholdRule(pool, setting), TUNING) }))
  const within = tried.filter(({ latePercent }) => latePercent <= BUDGET_PERCENT)
  return within.reduce((a, b) => (b.hours < a.hours ? b : a)).setting
}

/** Learns beside the rule, as it would live; then the least margin that is late clearly less often than the rule on days for learning. */
function learn(rule: Controller, seed: number): Controller {
  const options = { hidden: [32, 32], updatesPerStep: 0.5, discount: 0.9 } // small for a short run; ten minutes ahead
  const agent = createDdpg(core, { observation: pool.observation, action: pool.action, seed, options })
  const pilot = new EnvelopePilot(agent, rule, pool.action, {
    isViolation: ({ late }) => late! > 0,
    safeDirection: [1],
    reach: 0.45, // the agent says how far to go from the rule: from 0.44 to 2.3 times as many workers
    startWidth: 0.5,
  })
  for (let episode = 0; episode < LEARNING_DAYS; episode++)
    runEpisode(pool, pilot, { seed: 1000 * seed + episode, episode })
  const parts = { policy: pilot.policy, rule, environment: pool }
  return fitMargin(parts, { violationsOf: ({ late }) => late!, safeDirection: [1], seeds: FITTING, share: 0.7 }).policy
}

const setting = tune()
const rule = new ThresholdRule(pool, setting)
const byRule = judge(rule, JUDGED)
const agents = days(1, AGENTS).map((seed) => {
  const policy = learn(rule, seed)
  return { chosenBy: judge(policy, FITTING).hours, ...judge(policy, JUDGED) }
})
const learned = agents.reduce((a, b) => (b.chosenBy < a.chosenBy ? b : a)) // as the rule is the cheapest of its settings

const range = (numbers: readonly number[], digits: number): string =>
  `${Math.min(...numbers).toFixed(digits)} … ${Math.max(...numbers).toFixed(digits)}`
const late = agents.map(({ latePercent }) => latePercent)
const hours = agents.map((score) => score.hours)
const saved = 100 * (1 - learned.hours / byRule.hours)
console.log(`rule: utilisation ${setting.utilisation}, ${setting.drain} workers a queued job, ${setting.patience} min`)
console.log(`${JUDGED.length} fresh days   jobs late    worker-hours a day`)
console.log(`rule            ${byRule.latePercent.toFixed(2)} %       ${byRule.hours.toFixed(0)}`)
console.log(`learned         ${learned.latePercent.toFixed(2)} %       ${learned.hours.toFixed(0)}`)
console.log(`  of ${AGENTS} agents   ${range(late, 2)} %  ${range(hours, 0)}`)
const wins = agents.filter((score) => score.latePercent <= byRule.latePercent && score.hours < byRule.hours).length
console.log(
  `${wins} of ${AGENTS} are late no more often than the rule and cheaper; the chosen one saves ${saved.toFixed(1)} %`,
)

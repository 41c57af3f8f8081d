import { setTimeout } from 'node:timers/promises'
import { AdapterError } from '@trimtab/core'
import { type Allocation, type AllocationBounds, isSameSize } from '@trimtab/tasks/autoscaling'
import { POD_PROGRAM } from '../programs.js'
import { Balancer } from './balancer.js'
import type { Limiter } from './limiter.js'
import { Pod } from './pod.js'

/** What pods run, how they are held, and who hears of them. */
export interface LiveClusterOptions {
  readonly limiter: Limiter
  readonly bounds: AllocationBounds
  /** What pods run; see `PodOptions`. Default: a server that burns and waits as each request says. */
  readonly program?: string
  /** Arguments of the program. Default: none. */
  readonly args?: readonly string[]
  /** Of the balancer and of the pods: below 0 goes first, where the system allows it. */
  readonly niceness: { readonly balancer: number; readonly pods: number }
  /** Told each line that a pod writes. */
  readonly onLog?: (pod: number, line: string) => void
}

/** What pods used since it was last asked. */
export interface ClusterUsage {
  /** Of those that serve or drain. */
  readonly cpuMs: number
  /** Of the pod that holds most. */
  readonly memoryMiB: number
  /** Pods that were killed for their memory, and those that ended by themselves. */
  readonly kills: number
  readonly exits: number
}

const MOST_FAILED_STARTS = 3 // in a row
const ERROR = /error\b/i

interface Member {
  readonly pod: Pod
  state: 'starting' | 'ready' | 'draining'
  port: number
}

/** Pods behind a balancer, all real processes of this machine: as many and as large as they were last brought to. */
export class LiveCluster {
  readonly options: LiveClusterOptions
  /** Asked for last: sizes are in force, pods may still start. */
  readonly allocation: Allocation
  /** How long each start took, ms. */
  readonly startsMs: number[] = []
  /** Every process that was ever started here. */
  readonly pids: number[] = []
  readonly #balancer: Balancer
  readonly #members = new Map<number, Member>()
  #started = 0
  #failedStarts = 0
  /** Of the pods that start: the line that names an error, else the last. */
  #complaint = ''
  #kills = 0
  #exits = 0
  #fault: unknown

  constructor(options: LiveClusterOptions, allocation: Readonly<Allocation>) {
    this.options = options
    this.allocation = { ...allocation }
    this.#balancer = new Balancer(options.niceness.balancer)
    this.pids.push(this.#balancer.pid)
  }

  /** Where requests go, on loopback. @throws {AdapterError} `process_ended` */
  get port(): Promise<number> {
    return this.#balancer.port
  }

  /** Pods that serve. */
  get readyReplicas(): number {
    return this.#in('ready').length
  }

  /** Pods that do not serve yet. */
  get startingReplicas(): number {
    return this.#in('starting').length
  }

  #in(state: Member['state']): Member[] {
    return [...this.#members.values()].filter((member) => member.state === state)
  }

  /**
   * Brings an allocation into force: sizes at once, pods that are too many drain, what lacks is started, also in place of what has ended.
   * @throws {AdapterError} `pods_fail`: they end before they serve; as the limiter says
   */
  async bring(wanted: Readonly<Allocation>): Promise<void> {
    this.#throwFault()
    const isOther = !isSameSize(wanted, this.allocation)
    Object.assign(this.allocation, wanted)
    const kept = [...this.#in('ready'), ...this.#in('starting')]
    for (const member of kept.slice(wanted.replicas)) this.#drain(member)
    if (isOther) await Promise.all(kept.slice(0, wanted.replicas).map(({ pod }) => pod.resize(wanted)))
    for (let missing = wanted.replicas - kept.length; missing > 0; missing--) this.#start()
    this.#route()
  }

  #start(): void {
    const { limiter, program = POD_PROGRAM, args = [], niceness, onLog = () => {} } = this.options
    const id = this.#started++
    const size = this.allocation
    const pod = new Pod({
      ...{ id, program, args, size, limiter, niceness: niceness.pods },
      onLog: (line) => {
        if (member.state === 'starting') this.#hear(line)
        onLog(id, line)
      },
    })
    const member: Member = { pod, state: 'starting', port: 0 }
    this.pids.push(pod.pid)
    this.#members.set(id, member)
    pod.ready.then(
      (ready) => {
        if (!ready || member.state !== 'starting') return
        this.startsMs.push(ready.startMs)
        this.#failedStarts = 0
        member.port = ready.port
        member.state = 'ready'
        this.#route()
      },
      (error: unknown) => {
        this.#fault ??= error
      },
    )
    pod.gone.then((end) => {
      if (member.state === 'starting' && end === 'exit') this.#failedStarts++
      if (end === 'memory') this.#kills++
      if (end === 'exit') this.#exits++
      this.#members.delete(id)
      this.#route()
    })
  }

  #hear(line: string): void {
    if (line.trim() !== '' && (ERROR.test(line) || !ERROR.test(this.#complaint))) this.#complaint = line.trim()
  }

  #throwFault(): void {
    if (this.#failedStarts >= MOST_FAILED_STARTS)
      throw new AdapterError(
        'pods_fail',
        `${this.#failedStarts} pods in a row have ended before they served; the last said: ${this.#complaint || 'nothing'}`,
      )
    if (this.#fault) throw this.#fault
  }

  /** Nothing new goes to it; when all is answered it ends. One that still starts has nothing to answer. */
  #drain(member: Member): void {
    const { pod, state } = member
    member.state = 'draining'
    if (state === 'starting') void pod.kill()
    else this.#balancer.whenDrained(pod.id).then(() => pod.drain())
  }

  #route(): void {
    this.#balancer.route(this.#in('ready').map(({ pod, port }) => ({ id: pod.id, port })))
  }

  /** What was used since this was last asked. */
  takeUsage(): ClusterUsage {
    const serving = [...this.#in('ready'), ...this.#in('draining')].map(({ pod }) => pod)
    const known = (values: readonly number[]) => values.filter((value) => !Number.isNaN(value)) // some may just have ended
    const usage = {
      cpuMs: known(serving.map((pod) => pod.takeCpuMs())).reduce((sum, ms) => sum + ms, 0),
      memoryMiB: Math.max(0, ...known(serving.map((pod) => pod.memoryMiB))),
      kills: this.#kills,
      exits: this.#exits,
    }
    this.#kills = 0
    this.#exits = 0
    return usage
  }

  /** Resolves when all that was asked for serves, and all that was not is gone. @throws as `bring`; the signal's reason */
  async settled(signal: AbortSignal): Promise<void> {
    while (this.#members.size !== this.allocation.replicas || this.readyReplicas !== this.allocation.replicas) {
      await setTimeout(10, undefined, { signal })
      await this.bring(this.allocation)
    }
  }

  /** Ends all pods and the balancer, at once. May be called twice. */
  async dispose(): Promise<void> {
    await Promise.all([...this.#members.values()].map(({ pod }) => pod.kill()))
    await this.#balancer.stop()
  }
}

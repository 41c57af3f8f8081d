import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ModelRefresh } from '@trimtab/control'
import { bundleProgram } from '../../../test/bundle.js'
import type { MemberCall, MemberOrders, MemberReport } from './fixtures/member.js'

export const HEARTBEAT_MS = 300

/** The fixtures as programs of Node, beside what is installed. */
export class Programs {
  readonly #folder = mkdtempSync(join(tmpdir(), 'trimtab-nats-'))
  readonly member: string
  readonly coordinator: string

  private constructor() {
    symlinkSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(this.#folder, 'node_modules'))
    this.member = join(this.#folder, 'member.js')
    this.coordinator = join(this.#folder, 'coordinator.js')
  }

  static async make(): Promise<Programs> {
    const programs = new Programs()
    for (const name of ['member', 'coordinator'])
      await bundleProgram(new URL(`./fixtures/${name}.ts`, import.meta.url), programs.#folder)
    return programs
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** A process of a team, and how its steps went. */
export class MemberProcess {
  readonly reports: MemberReport[] = []
  readonly #child: ChildProcess

  constructor(program: string, orders: MemberOrders) {
    this.#child = fork(program, [JSON.stringify(orders)])
    this.#child.on('message', (report: MemberReport) => this.reports.push(report))
  }

  get last(): MemberReport | undefined {
    return this.reports.at(-1)
  }

  tell(call: MemberCall): void {
    this.#child.send(call)
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  async kill(): Promise<void> {
    await killed(this.#child)
  }
}

/** The process that refreshes base models, and what it did. */
export class CoordinatorProcess {
  readonly refreshes: ModelRefresh[] = []
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  /** Resolves when it listens. */
  static async start(program: string, port: number): Promise<CoordinatorProcess> {
    const process = new CoordinatorProcess(fork(program, [JSON.stringify({ port, heartbeatMs: HEARTBEAT_MS })]))
    await once(process.#child, 'message')
    process.#child.on('message', (refresh: ModelRefresh) => process.refreshes.push(refresh))
    return process
  }

  async kill(): Promise<void> {
    await killed(this.#child)
  }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await once(child, 'exit')
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../../test/free-port.js'
import { notChecked } from '../../../test/not-checked.js'

export const HAS_NATS: boolean = spawnSync('nats-server', ['--version']).status === 0

export const sayUnchecked = (what: string): void =>
  notChecked(`${what} against a real NATS server`, 'nats-server (apt-get install nats-server)')

/** A NATS server of this test's own, on a free port of loopback, with a store that outlives its kills. */
export class RealNats {
  readonly port: number
  readonly #store: string
  readonly #flags: readonly string[]
  #process: ChildProcess | undefined

  private constructor(port: number, flags: readonly string[]) {
    this.port = port
    this.#store = mkdtempSync(join(tmpdir(), 'nats-'))
    this.#flags = flags
  }

  /** @param flags  of the server's command line, beside those that say where it is */
  static async start(...flags: string[]): Promise<RealNats> {
    const real = new RealNats(await freePort(), flags)
    await real.restart()
    return real
  }

  async restart(): Promise<void> {
    const where = ['-a', '127.0.0.1', '-p', String(this.port), '-js', '-sd', this.#store]
    const child = spawn('nats-server', [...where, ...this.#flags], { stdio: 'ignore' })
    this.#process = child
    while (!(await this.#isUp())) {
      if (child.exitCode !== null) throw new Error(`nats-server ended with ${child.exitCode}`)
      await wait(20)
    }
  }

  async kill(): Promise<void> {
    const child = this.#process!
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await once(child, 'exit')
  }

  /** All that it had stored is gone, also when it comes back. */
  async lose(): Promise<void> {
    await this.kill()
    rmSync(this.#store, { recursive: true })
    mkdirSync(this.#store)
  }

  async stop(): Promise<void> {
    await this.kill()
    rmSync(this.#store, { recursive: true, force: true })
  }

  /** It greets whoever connects. */
  async #isUp(): Promise<boolean> {
    const socket = createConnection(this.port, '127.0.0.1')
    try {
      await once(socket, 'data')
      return true
    } catch {
      return false
    } finally {
      socket.destroy()
    }
  }
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../../test/free-port.js'
import { notChecked } from '../../../test/not-checked.js'

export const HAS_INFLUXD: boolean = spawnSync('influxd', ['version']).status === 0

export const sayUnchecked = (what: string): void =>
  notChecked(`${what} against a real InfluxDB 1.x`, 'influxd (apt-get install influxdb)')

/** An InfluxDB 1.x of this test's own, on a free port, with a folder that outlives its kills. */
export class RealInflux {
  readonly url: string
  readonly #folder: string
  #process: ChildProcess | undefined

  private constructor(url: string, folder: string) {
    this.url = url
    this.#folder = folder
  }

  /** With one database, `t`. */
  static async start(): Promise<RealInflux> {
    const folder = mkdtempSync(join(tmpdir(), 'influx-'))
    const [http, rpc] = [await freePort(), await freePort()]
    const config = `
      reporting-disabled = true
      bind-address = "127.0.0.1:${rpc}"
      [meta]
        dir = "${folder}/meta"
      [data]
        dir = "${folder}/data"
        wal-dir = "${folder}/wal"
      [monitor]
        store-enabled = false
      [http]
        bind-address = "127.0.0.1:${http}"
        log-enabled = false`
    writeFileSync(join(folder, 'influxdb.conf'), config)
    const real = new RealInflux(`http://127.0.0.1:${http}`, folder)
    await real.restart()
    await real.query('CREATE DATABASE t')
    return real
  }

  async restart(): Promise<void> {
    const child = spawn('influxd', ['-config', join(this.#folder, 'influxdb.conf')], { stdio: 'ignore' })
    this.#process = child
    const isUp = () =>
      fetch(`${this.url}/ping`).then(
        ({ ok }) => ok,
        () => false,
      )
    while (!(await isUp())) {
      if (child.exitCode !== null) throw new Error(`influxd ended with ${child.exitCode}`)
      await wait(20)
    }
  }

  async kill(): Promise<void> {
    const child = this.#process!
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await once(child, 'exit')
  }

  async stop(): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Values of the first series, straight from the database. */
  async query(q: string): Promise<unknown[][]> {
    const body = new URLSearchParams({ db: 't', epoch: 'u', q })
    const { results } = (await (await fetch(`${this.url}/query`, { method: 'POST', body })).json()) as {
      results: { series?: { values: unknown[][] }[]; error?: string }[]
    }
    if (results[0]?.error) throw new Error(results[0].error)
    return results[0]?.series?.[0]?.values ?? []
  }
}

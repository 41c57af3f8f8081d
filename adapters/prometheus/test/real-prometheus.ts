import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../../test/free-port.js'
import { notChecked } from '../../../test/not-checked.js'

export const HAS_PROMETHEUS: boolean = spawnSync('prometheus', ['--version']).status === 0

export const sayUnchecked = (what: string): void =>
  notChecked(`${what} against a real Prometheus`, 'prometheus and promtool (apt-get install prometheus)')

/** The text as `promtool` judges it: what the linter says, empty when nothing. */
export const lint = (exposition: string): string =>
  spawnSync('promtool', ['check', 'metrics'], { input: exposition, encoding: 'utf8' }).stderr

export interface RealPrometheusOptions {
  /** OpenMetrics with times, without the closing line: what it has seen. */
  readonly samples?: string
  /** Its configuration file, YAML. */
  readonly config?: string
}

/** A Prometheus of this test's own, on a free port, with a folder that goes with it. */
export class RealPrometheus {
  readonly url: string
  readonly #process: ChildProcess
  readonly #folder: string

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.url = url
    this.#process = child
    this.#folder = folder
  }

  static async start({ samples, config = 'global: {}' }: RealPrometheusOptions = {}): Promise<RealPrometheus> {
    const folder = mkdtempSync(join(tmpdir(), 'prometheus-'))
    const file = (name: string, content: string): string => {
      writeFileSync(join(folder, name), content)
      return join(folder, name)
    }
    const blocks = join(folder, 'data')
    if (samples !== undefined) {
      const lines = file('samples.txt', `${samples}\n# EOF\n`)
      execFileSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', lines, blocks], { stdio: 'ignore' })
    }
    const address = `127.0.0.1:${await freePort()}`
    const child = spawn(
      'prometheus',
      [
        `--config.file=${file('prometheus.yml', config)}`,
        `--storage.tsdb.path=${blocks}`,
        '--storage.tsdb.retention.time=100y',
        `--web.listen-address=${address}`,
        '--web.enable-remote-write-receiver',
      ],
      { stdio: 'ignore' },
    )
    const real = new RealPrometheus(`http://${address}`, child, folder)
    while (
      !(await fetch(`${real.url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (child.exitCode !== null) throw new Error(`prometheus ended with ${child.exitCode}`)
      await wait(50)
    }
    return real
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.kill('SIGKILL')) await once(this.#process, 'exit')
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

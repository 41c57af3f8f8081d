import { setImmediate as turn } from 'node:timers/promises'
import { createServeCore, type LengthEstimator, type LengthRequest, type Limit, Scheduler } from '@trimtab/serve'
import { Gateway, type GatewayLimits } from '../src/index.js'
import { startDouble } from './protocol-double.mjs'

export type Double = Awaited<ReturnType<typeof startDouble>>

export interface StartOptions extends GatewayLimits {
  readonly concurrency?: number
  readonly order?: 'class' | 'exact' | 'fifo'
  readonly capacity?: number
  readonly fairness?: number
  readonly limit?: Limit
  /** Default: no ageing, the order is that of the predictions alone. */
  readonly bypass?: number
  /** Where it can be reached; default: this machine only. */
  readonly host?: string
  /** Default: a double of its own. */
  readonly upstream?: string | readonly string[]
}

export interface Started {
  readonly port: number
  readonly gateway: Gateway
  readonly scheduler: Scheduler
  readonly double: Double
  /** Codes of what was refused or broke off. */
  readonly failures: string[]
  /** What was learned. */
  readonly observed: { readonly request: LengthRequest; readonly tokens: number }[]
  close(): Promise<void>
}

/** A gateway before a double. Prompts that end in `expect N` are predicted to take N tokens, others 100. */
export async function start({ host, ...options }: StartOptions = {}): Promise<Started> {
  const double = await startDouble()
  const observed: Started['observed'] = []
  const failures: string[] = []
  const estimator: LengthEstimator = {
    predict: ({ prompt }) => ({
      tokens: Number(/expect (\d+)\s*$/.exec(prompt)?.[1] ?? 100),
      score: 0,
      class: 0,
      source: 'model',
    }),
    observe: (request, tokens) => observed.push({ request, tokens }),
  }
  const { concurrency = 4, order, capacity, fairness, limit, bypass } = options
  const ageing = bypass === undefined ? { maxBypassSeconds: Number.POSITIVE_INFINITY } : { bypass }
  const waiting = { concurrency, order, capacity, fairness, limit, ...ageing }
  const scheduler = new Scheduler({ core: await createServeCore(), ...waiting, estimator })
  const onFailure = ({ code }: { readonly code: string }) => failures.push(code)
  const gateway = new Gateway({ upstream: double.url, ...options, scheduler, onFailure })
  const { port } = await gateway.listen(0, host)
  return {
    ...{ port, gateway, scheduler, double, failures, observed },
    async close() {
      await gateway.close()
      scheduler.dispose()
      await double.close()
    },
  }
}

/** Lets the sockets work until `holds` does; the test's own time limit ends it. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn()
}

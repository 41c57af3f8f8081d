// Spans as exporters send them: whom late requests wait for is told as it is found. Nothing is changed: spans do not say whose process they are of.
import { Collector, UnseenTraces } from '@trimtab/local/collect'
import {
  type CulpritAccount,
  Explainer,
  type Healthy,
  healthyFrom,
  Localiser,
  type LocatedCulprit,
} from '@trimtab/tasks/microservices'
import type { Trace } from '@trimtab/trace'
import type { Host } from '../host.js'
import { analyseFiles } from '../trace/run.js'
import { USUAL } from './from-traces.js'

/** Who was named in one window, and why. */
export interface LiveFinding {
  /** Since the start. */
  readonly second: number
  readonly because: LocatedCulprit
  readonly account: CulpritAccount
}

/** Where spans come to, and what they are compared with. */
export interface ListenPlan {
  /** A file of traces of a time when all was well. */
  readonly baseline: string
  /** A request is late beyond so many times the p99 of that time. */
  readonly sloFactor: number
  readonly port: number
  /** Length of a window. */
  readonly everySeconds: number
  readonly onListening: (url: string, slosMs: ReadonlyMap<string, number>) => void
}

/** What is watched, and who hears of it. */
export interface WatchPlan extends ListenPlan {
  readonly onFinding: (finding: LiveFinding) => void
}

/**
 * Until the host's signal is given.
 * @returns requests that were seen
 * @throws as `listen`
 */
export async function watchLive(plan: WatchPlan, host: Host): Promise<number> {
  const { everySeconds, onFinding } = plan
  const { signal } = host
  const { collector, healthy } = await listen(plan, host)
  const unseen = new UnseenTraces(collector.window)
  const localiser = new Localiser(healthy)
  const explainer = new Explainer(healthy)
  const startedMs = host.now()
  let seen = 0
  while (!signal.aborted) {
    await host.wait(1000 * everySeconds, signal)
    const window = { traces: unseen.take() }
    seen += window.traces.length
    const second = (host.now() - startedMs) / 1000
    for (const because of localiser.find(window))
      onFinding({ second, because, account: explainer.explain(window, because) })
  }
  await collector.close()
  localiser.dispose()
  explainer.dispose()
  return seen
}

const KEPT_WINDOWS = 5

/**
 * What is usual, then a collector for what comes.
 * @param onTrace  told every trace of both once it is complete, before anybody looks at it
 * @throws as `analyseFiles`; {ConfigError} `port_unusable`
 */
export async function listen(
  { baseline, sloFactor, port, everySeconds, onListening }: ListenPlan,
  host: Host,
  onTrace: (trace: Trace) => void = () => {},
): Promise<{ readonly collector: Collector; readonly healthy: Healthy }> {
  const usual: Trace[] = []
  await analyseFiles([baseline], USUAL, host, { onPath: ({ trace }) => usual.push(trace) })
  for (const trace of usual) onTrace(trace)
  const healthy = healthyFrom(usual, sloFactor)
  const onError = ({ message }: Error): unknown => host.stderr.write(`${message}\n`)
  const collector = await Collector.start({ port, window: { seconds: KEPT_WINDOWS * everySeconds }, onTrace, onError })
  onListening(`http://127.0.0.1:${collector.port}/v1/traces`, healthy.slosMs)
  return { collector, healthy }
}

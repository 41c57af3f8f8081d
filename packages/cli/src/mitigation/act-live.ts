// FIRM's loop around services that run already: spans say whom late requests wait for, the limits of its process go up at once and come down
// slowly, and where that does not help another process takes its place. All limits are given back in the end.
import { createCore } from '@trimtab/core'
import { LiveApplication, openProcessLimiter } from '@trimtab/local/microservices'
import {
  byOwnQueue,
  byTraces,
  CulpritPolicy,
  Explainer,
  Localiser,
  mitigate,
  type Resource,
  type ResourceVector,
} from '@trimtab/tasks/microservices'
import type { Host } from '../host.js'
import { type ListenPlan, type LiveFinding, listen } from './from-live.js'
import { IncidentLog } from './incident-log.js'
import type { Incident } from './report-types.js'
import { controlledService } from './running-services.js'
import type { ServiceEntry, ServicesFile } from './services-file.js'

const REPLACE_AFTER_WINDOWS = 2

/** Whom to act on, and who hears of it. */
export interface ActPlan extends ListenPlan {
  readonly services: ServicesFile
  /** Where changes are written down so that they can be undone; undefined: the machine's. */
  readonly stateFolder: string | undefined
  /** Told once processes are held. */
  readonly onHeld: (by: string, holds: readonly Resource[], pids: Readonly<Record<string, number>>) => void
  /** Told of a service when it is named first, and again once it is named no more. */
  readonly onIncident: (event: 'named' | 'over', incident: Incident) => void
  /** Told of whoever is named and is none of the services: nothing is done about it. */
  readonly onFinding: (finding: LiveFinding) => void
}

/**
 * Until the host's signal is given; then processes have the limits that they had before.
 * @returns requests that were seen
 * @throws as `listen`; {UsageError} a process is not there; {AdapterError} as the limiter says
 */
export async function actLive(plan: ActPlan, host: Host): Promise<number> {
  const { services: file, stateFolder, everySeconds, onIncident, onFinding, onHeld } = plan
  const onNotice = (message: string): unknown => host.stderr.write(`${message}\n`)
  const onGone = (name: string, pid: number) => onNotice(`${name}, process ${pid}, has ended: it is held no more`)
  const names = new Set(file.services.map(({ name }) => name))
  /** What is undone in the end, the last first. */
  const undo: (() => unknown)[] = []
  let requests = 0
  try {
    const watching = new AbortController()
    undo.push(() => watching.abort())
    const services = await Promise.all(
      file.services.map((entry) => controlledService(entry, { ...{ host, onGone }, signal: watching.signal })),
    )
    // One process a service is held, and called as its service, whatever its spans call it.
    const { collector, healthy } = await listen(plan, host, ({ instance, service }) => instance.set(service))
    undo.push(() => collector.close())
    const [localiser, explainer] = [new Localiser(healthy), new Explainer(healthy)]
    undo.push(
      () => localiser.dispose(),
      () => explainer.dispose(),
    )
    const limiter = openProcessLimiter({
      ...{ onNotice },
      ...(stateFolder !== undefined && { stateFolder }),
      ...(file.folder !== undefined && { folder: file.folder }),
    })
    undo.push(() => limiter.dispose())
    const deployed = new Map(file.services.map((entry) => [entry.name, grantOf(entry, limiter.holds)]))
    const application = await LiveApplication.start({
      ...{ window: collector.window, services, limiter, deployed, stepSeconds: everySeconds },
      requests: [...healthy.slosMs.keys()],
    })
    undo.push(() => application.dispose())
    const log = new IncidentLog({ explainer, slosMs: healthy.slosMs, onIncident })
    undo.push(() => log.end())
    onHeld(limiter.name, limiter.holds, Object.fromEntries(services.map(({ name, instance }) => [name, instance.pid])))
    const { math } = await createCore()
    const canReplace = services.some(({ replace }) => replace)
    const policy = new CulpritPolicy({
      ...{ name: 'localised', math, deployed, namers: [byTraces(localiser), byOwnQueue] },
      ...(canReplace && { replaceAfterSeconds: REPLACE_AFTER_WINDOWS * everySeconds }),
    })
    const loop = { source: application, actuators: application, policy, signal: host.signal }
    for await (const tick of mitigate(loop)) {
      const { window } = tick
      requests += window.traces.length
      log.take(tick)
      for (const because of localiser.find(window))
        if (!names.has(because.service))
          onFinding({ second: window.telemetry.toSecond, because, account: explainer.explain(window, because) })
    }
  } catch (error) {
    if (!host.signal.aborted) throw error
  } finally {
    for (const step of undo.reverse()) await step()
  }
  return requests
}

/** What a service may use while all is well: what nobody holds here is without a limit. */
function grantOf({ cores, diskMBps }: ServiceEntry, holds: readonly Resource[]): ResourceVector {
  const free = Number.POSITIVE_INFINITY
  return {
    cpu: cores,
    memoryBandwidth: free,
    llc: free,
    diskIo: holds.includes('diskIo') ? diskMBps : free,
    network: free,
  }
}

// Trace files: what they name is only recommended, for files cannot be acted on.
import { routeTo } from '@trimtab/tasks/microservices'
import { CulpritWindow } from '@trimtab/trace'
import type { Host } from '../host.js'
import type { Options, Values } from '../options.js'
import { readBaseline } from '../trace/baseline.js'
import { type CommonValues, commonOptions } from '../trace/options.js'
import type { SuspectView } from '../trace/report/types.js'
import { analyseFiles } from '../trace/run.js'
import { suspectFixes, suspectsAgainst, withGains } from '../trace/suspects.js'
import type { Recommendation, TracesReport } from './report-types.js'

/** The usual ways to read and follow traces: what `trimtab trace` does without options. */
export const USUAL: CommonValues = fallbacksOf(commonOptions)

/** @throws {UsageError} files that cannot be read; {TraceError} as `analyseFiles` */
export async function recommendFromTraces(
  files: readonly string[],
  { baseline, top }: { readonly baseline: string; readonly top: number },
  host: Host,
): Promise<TracesReport> {
  const usual = await readBaseline(baseline, USUAL, host)
  const window = new CulpritWindow()
  const routes = new Map<string, { readonly route: readonly string[]; readonly latencyNs: number }>()
  const { core, replay } = await analyseFiles(files, USUAL, host, {
    isReplayed: true,
    onPath(path) {
      window.add(path)
      const { trace, row, latencyNs } = path
      const services = new Set(Array.from(row, (at) => trace.service[at]!))
      for (const service of services) {
        const name = trace.names.text(service)
        if (latencyNs <= (routes.get(name)?.latencyNs ?? 0)) continue
        routes.set(name, { route: routeTo(path, (at) => trace.service[at] === service)!, latencyNs })
      }
    },
  })
  const ranked = suspectsAgainst(core, window, usual.window, top)
  const { against, suspects } = withGains(ranked, await replay(suspectFixes(ranked), usual.times))
  return {
    source: 'traces',
    files,
    against,
    recommendations: suspects.map((suspect) => ({
      ...suspect,
      route: routes.get(suspect.service)?.route ?? [suspect.service],
      resource: resourceOf(suspect),
    })),
  }
}

/** What got slower most says it: the way to a service, or its work. */
const resourceOf = ({ slower: [most] = [] }: SuspectView): Recommendation['resource'] =>
  most?.callee !== undefined && most.kind !== 'queue' ? 'network' : 'any'

function fallbacksOf<O extends Options>(options: O): Values<O> {
  return Object.fromEntries(Object.entries(options).map(([name, { fallback }]) => [name, fallback])) as Values<O>
}

import { foldedStacks, prometheusText, SpeedscopeWriter, summariseProfile } from '@trimtab/trace'
import type { Command } from '../../command.js'
import { SAMPLES } from '../../samples.js'
import { defineTraceCommand, isPage } from '../../trace/define-trace-command.js'
import { analyseFiles } from '../../trace/run.js'
import { formatCallPaths, formatHeading, formatServices } from '../../trace/tables.js'
import { usualChanges } from '../../trace/what-if.js'

/** `trimtab trace profile`: where the latency of many requests goes. */
export const profile: Command = defineTraceCommand({
  name: 'profile',
  summary: 'Where the latency of many requests goes: by service and by call path, on their critical paths',
  options: {},
  formats: ['table', 'json', 'folded', 'speedscope', 'html', 'prometheus'],
  sample: [SAMPLES.slowTraces],
  examples: [
    ['trimtab trace profile traces/*.json.gz', 'who owns the latency, with p50, p99 and its part of the variance'],
    ['trimtab trace profile day.ndjson --percentile 95-99', 'only the slow requests, without the very slowest'],
    ['trimtab trace profile day.ndjson --service cart --operation checkout', 'requests from the first span of cart on'],
    ['trimtab trace profile day.ndjson --format folded | flamegraph.pl > paths.svg', 'any flame graph tool'],
    ['trimtab trace profile day.ndjson --report traces.html', 'one page with waterfall, flame graph and tables'],
  ],
  async answer(values, files, host) {
    const { analysis, replay } = await analyseFiles(files, values, host, { isReplayed: isPage(values) })
    return {
      analysis,
      findings: { whatIf: await replay(usualChanges(analysis.services)) },
      table: (report, paint) => [
        formatHeading(report, paint),
        '\n',
        formatServices(report.services, values.top, paint),
        '\n',
        formatCallPaths(report.callPaths, values.top, paint),
      ],
      json: () => ({ profile: summariseProfile(analysis.profile, values.top) }),
      others: {
        folded: () => foldedStacks(analysis.tree.finish()),
        speedscope() {
          const writer = new SpeedscopeWriter(files.join(', '))
          writer.addTree(`${analysis.requests} requests`, analysis.tree.finish())
          for (const { path, role } of analysis.exemplars.list([]))
            writer.addPath(`${role}: ${path.trace.traceId}`, path)
          return [JSON.stringify(writer.finish())]
        },
        prometheus: () => [prometheusText(analysis.profile, analysis.repairs)],
      },
    }
  },
})

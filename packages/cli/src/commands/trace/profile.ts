import { foldedStacks, prometheusText, SpeedscopeWriter, summariseProfile } from '@trimtab/trace'
import { type Command, defineCommand, EXIT } from '../../command.js'
import { choiceOption } from '../../options.js'
import { createPaint } from '../../terminal.js'
import { jsonReport } from '../../trace/json.js'
import { commonOptions } from '../../trace/options.js'
import { checkDestination, deliver, tellRepairs } from '../../trace/output.js'
import { renderTraceReport } from '../../trace/report/index.js'
import { analyseFiles, settingsOf } from '../../trace/run.js'
import { formatCallPaths, formatHeading, formatServices } from '../../trace/tables.js'
import { usualChanges } from '../../trace/what-if.js'

const options = {
  format: choiceOption('of the answer', ['table', 'json', 'folded', 'speedscope', 'html', 'prometheus'], 'table'),
  ...commonOptions,
}

export const profile: Command = defineCommand({
  name: 'trace profile',
  summary: 'Where the latency of many requests goes: by service and by call path, on their critical paths',
  operands: 'FILE…',
  options,
  examples: [
    ['trimtab trace profile traces/*.json.gz', 'who owns the latency, with p50, p99 and its part of the variance'],
    ['trimtab trace profile day.ndjson --percentile 95-99', 'only the slow requests, without the very slowest'],
    ['trimtab trace profile day.ndjson --service cart --operation checkout', 'requests from the first span of cart on'],
    ['trimtab trace profile day.ndjson --format folded | flamegraph.pl > paths.svg', 'any flame graph tool'],
    ['trimtab trace profile day.ndjson --report traces.html', 'one page with waterfall, flame graph and tables'],
  ],
  exits: 'Exit: 0 done, 2 the call is bad or no request could be analysed.',
  async run(values, host, files) {
    await checkDestination(values, host)
    const format = values.json ? 'json' : values.format
    const isPage = format === 'html' || values.report !== undefined
    const { analysis, replay } = await analyseFiles(files, values, host, { isReplayed: isPage })
    const whatIf = await replay(usualChanges(analysis.services))
    const report = analysis.report('profile', files, settingsOf(values), { whatIf })
    const paint = createPaint(host.stdout, host.env)
    const answer = (): Iterable<string> => {
      switch (format) {
        case 'table':
          return [
            formatHeading(report, paint),
            '\n',
            formatServices(report.services, values.top, paint),
            '\n',
            formatCallPaths(report.callPaths, values.top, paint),
          ]
        case 'json':
          return [jsonReport(report, { profile: summariseProfile(analysis.profile, values.top) })]
        case 'folded':
          return foldedStacks(analysis.tree.finish())
        case 'speedscope': {
          const writer = new SpeedscopeWriter(files.join(', '))
          writer.addTree(`${analysis.requests} requests`, analysis.tree.finish())
          for (const { path, role } of analysis.exemplars.list([]))
            writer.addPath(`${role}: ${path.trace.traceId}`, path)
          return [JSON.stringify(writer.finish())]
        }
        case 'html':
          return [renderTraceReport(report)]
        case 'prometheus':
          return [prometheusText(analysis.profile, analysis.repairs)]
        default:
          return format satisfies never
      }
    }
    await deliver(answer(), report, values, host)
    tellRepairs(analysis.repairs, host)
    return EXIT.done
  },
})

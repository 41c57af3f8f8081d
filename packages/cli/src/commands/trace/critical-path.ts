import { type CriticalPath, foldedStacks, SpeedscopeWriter, spanAttributes } from '@trimtab/trace'
import { type Command, defineCommand, EXIT } from '../../command.js'
import { choiceOption, textOption } from '../../options.js'
import { createPaint } from '../../terminal.js'
import { jsonReport } from '../../trace/json.js'
import { commonOptions } from '../../trace/options.js'
import { checkDestination, deliver, tellRepairs } from '../../trace/output.js'
import { renderTraceReport } from '../../trace/report/index.js'
import { analyseFiles, settingsOf } from '../../trace/run.js'
import { formatHeading, formatPath, formatTraces } from '../../trace/tables.js'
import { usualChanges } from '../../trace/what-if.js'

const options = {
  trace: textOption('ID', 'only the request with this trace id', undefined),
  format: choiceOption(
    'of the answer; attributes: one JSON line a span on the path, to write back to the tracing system',
    ['table', 'json', 'folded', 'speedscope', 'html', 'attributes'],
    'table',
  ),
  ...commonOptions,
}

export const criticalPath: Command = defineCommand({
  name: 'trace critical-path',
  summary: 'What a request waited for, section by section: the sections add up to its latency',
  operands: 'FILE…',
  options,
  examples: [
    ['trimtab trace critical-path trace.json', 'the slowest request of the file, and who owns the others'],
    ['trimtab trace critical-path traces/*.json.gz --trace 4bf92f3577b34da6', 'one request of many'],
    [
      'trimtab trace critical-path trace.json --format speedscope > path.speedscope.json',
      'for speedscope, in time order',
    ],
    ['trimtab trace critical-path spans.ndjson --format attributes > on-path.ndjson', 'to write back to the spans'],
    ['trimtab trace critical-path ms-clocks.json --overlap-tolerance auto', 'clocks that only count milliseconds'],
  ],
  exits: 'Exit: 0 done, 2 the call is bad or no request could be analysed.',
  async run(values, host, files) {
    await checkDestination(values, host)
    const format = values.json ? 'json' : values.format
    const isPage = format === 'html' || values.report !== undefined
    const lines: string[] = []
    const onPath = (path: CriticalPath) => {
      if (format === 'attributes') for (const span of spanAttributes(path)) lines.push(`${JSON.stringify(span)}\n`)
    }
    const { analysis, replay } = await analyseFiles(files, values, host, { onPath, isReplayed: isPage })
    const whatIf = await replay(usualChanges(analysis.services))
    const report = analysis.report('critical-path', files, settingsOf(values), { whatIf })
    const paint = createPaint(host.stdout, host.env)
    const answer = (): Iterable<string> => {
      switch (format) {
        case 'table':
          return [
            formatHeading(report, paint),
            '\n',
            formatPath(analysis.slowest[0]!, paint),
            ...(report.traces.length > 1 ? ['\n', formatTraces(report.traces, report.latency.count, paint)] : []),
          ]
        case 'json':
          return [
            jsonReport(report, {
              requests: analysis.slowest,
              omittedRequests: analysis.requests - analysis.slowest.length,
            }),
          ]
        case 'folded':
          return foldedStacks(analysis.tree.finish())
        case 'speedscope': {
          const writer = new SpeedscopeWriter(files.join(', '))
          for (const { path, role } of analysis.exemplars.list([]))
            writer.addPath(`${role}: ${path.trace.traceId}`, path)
          return [JSON.stringify(writer.finish())]
        }
        case 'html':
          return [renderTraceReport(report)]
        case 'attributes':
          return lines
        default:
          return format satisfies never
      }
    }
    await deliver(answer(), report, values, host)
    tellRepairs(analysis.repairs, host)
    return EXIT.done
  },
})

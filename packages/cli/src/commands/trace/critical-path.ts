import { foldedStacks, SpeedscopeWriter, spanAttributes } from '@trimtab/trace'
import type { Command } from '../../command.js'
import { textOption } from '../../options.js'
import { SAMPLES } from '../../samples.js'
import { defineTraceCommand, isPage } from '../../trace/define-trace-command.js'
import { analyseFiles } from '../../trace/run.js'
import { formatHeading, formatPath, formatTraces } from '../../trace/tables.js'
import { usualChanges } from '../../trace/what-if.js'

/** `trimtab trace critical-path`: what each request waited for. */
export const criticalPath: Command = defineTraceCommand({
  name: 'critical-path',
  summary: 'What a request waited for, section by section: the sections add up to its latency',
  options: { trace: textOption('ID', 'only the request with this trace id', undefined) },
  formats: ['table', 'json', 'folded', 'speedscope', 'html', 'attributes'],
  sample: [SAMPLES.slowTraces],
  formatHelp: 'of the answer; attributes: one JSON line a span on the path, to write back to the tracing system',
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
  async answer(values, files, host) {
    const lines: string[] = []
    const { analysis, replay } = await analyseFiles(files, values, host, {
      isReplayed: isPage(values),
      onPath(path) {
        if (values.format !== 'attributes' || values.json) return
        for (const span of spanAttributes(path)) lines.push(`${JSON.stringify(span)}\n`)
      },
    })
    return {
      analysis,
      findings: { whatIf: await replay(usualChanges(analysis.services)) },
      table: (report, paint) => [
        formatHeading(report, paint),
        '\n',
        formatPath(analysis.slowest[0]!, paint),
        ...(report.traces.length > 1 ? ['\n', formatTraces(report.traces, report.latency.count, paint)] : []),
      ],
      json: () => ({ requests: analysis.slowest, omittedRequests: analysis.requests - analysis.slowest.length }),
      others: {
        folded: () => foldedStacks(analysis.tree.finish()),
        speedscope() {
          const writer = new SpeedscopeWriter(files.join(', '))
          for (const { path, role } of analysis.exemplars.list([]))
            writer.addPath(`${role}: ${path.trace.traceId}`, path)
          return [JSON.stringify(writer.finish())]
        },
        attributes: () => lines,
      },
    }
  },
})

import { type Command, defineCommand, EXIT } from '../../command.js'
import { choiceOption, textOption, UsageError } from '../../options.js'
import { createPaint } from '../../terminal.js'
import { differenceOf } from '../../trace/diff.js'
import { jsonReport } from '../../trace/json.js'
import { commonOptions } from '../../trace/options.js'
import { checkDestination, deliver, tellRepairs } from '../../trace/output.js'
import { renderTraceReport } from '../../trace/report/index.js'
import { analyseFiles, settingsOf } from '../../trace/run.js'
import { formatDiff } from '../../trace/tables.js'

const options = {
  before: textOption('FILE', 'traces of the time before (or the first of two files)', undefined),
  after: textOption('FILE', 'traces of the time after (or the second of two files)', undefined),
  format: choiceOption('of the answer', ['table', 'json', 'html'], 'table'),
  ...commonOptions,
}

export const diff: Command = defineCommand({
  name: 'trace diff',
  summary: 'What changed between two windows: which service made the requests slower, and how sure that is',
  operands: '[BEFORE AFTER]',
  options,
  examples: [
    ['trimtab trace diff monday.json.gz tuesday.json.gz', 'service by service, in standard errors'],
    ['trimtab trace diff --before main.ndjson --after branch.ndjson || echo slower', 'in CI: 1 when it got slower'],
    ['trimtab trace diff a.json b.json --report diff.html', 'one page, with the requests of the second file'],
  ],
  exits:
    'Exit: 0 done, 1 the mean latency grew by more than 5 % and three standard errors, 2 the call is bad or no request could be analysed.',
  async run(values, host, files) {
    const { before, after } = sidesOf(values, files)
    await checkDestination(values, host)
    const was = await analyseFiles([before], values, host)
    const { analysis } = await analyseFiles([after], values, host)
    const { view, isWorse } = differenceOf(was.analysis, analysis)
    const report = analysis.report('diff', [before, after], settingsOf(values), { diff: view })
    const paint = createPaint(host.stdout, host.env)
    const answers = {
      table: () => [formatDiff(view, values.top, paint)],
      json: () => [jsonReport(report, { diff: { ...view, services: view.services.slice(0, values.top) } })],
      html: () => [renderTraceReport(report)],
    }
    await deliver(answers[values.json ? 'json' : values.format](), report, values, host)
    was.analysis.repairs.merge(analysis.repairs)
    tellRepairs(was.analysis.repairs, host)
    return isWorse ? EXIT.badAnswer : EXIT.done
  },
})

function sidesOf(
  { before, after }: { readonly before: string | undefined; readonly after: string | undefined },
  files: readonly string[],
): { readonly before: string; readonly after: string } {
  const rest = [...files]
  const sides = { before: before ?? rest.shift(), after: after ?? rest.shift() }
  if (sides.before === undefined || sides.after === undefined || rest.length > 0)
    throw new UsageError(
      `two files are compared, got ${[before, after, ...files].filter((file) => file !== undefined).length}: trimtab trace diff BEFORE AFTER`,
    )
  return { before: sides.before, after: sides.after }
}

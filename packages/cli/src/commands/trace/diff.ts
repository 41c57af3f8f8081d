import { Repairs } from '@trimtab/trace'
import { type Command, EXIT } from '../../command.js'
import { textOption, UsageError } from '../../options.js'
import { SAMPLES } from '../../samples.js'
import { defineTraceCommand } from '../../trace/define-trace-command.js'
import { differenceOf } from '../../trace/diff.js'
import { analyseFiles } from '../../trace/run.js'
import { formatDiff } from '../../trace/tables.js'

/** `trimtab trace diff`: what changed between two windows. */
export const diff: Command = defineTraceCommand({
  name: 'diff',
  summary:
    'What changed between two windows: which service, or way between two, made the requests slower, and how sure that is',
  operands: '[BEFORE AFTER]',
  options: {
    before: textOption('FILE', 'traces of the time before (or the first of two files)', undefined),
    after: textOption('FILE', 'traces of the time after (or the second of two files)', undefined),
  },
  formats: ['table', 'json', 'html'],
  sample: [SAMPLES.usualTraces, SAMPLES.slowTraces],
  examples: [
    ['trimtab trace diff monday.json.gz tuesday.json.gz', 'services and the ways between them, by a rank test'],
    ['trimtab trace diff --before main.ndjson --after branch.ndjson || echo slower', 'in CI: 1 when it got slower'],
    ['trimtab trace diff a.json b.json --report diff.html', 'one page, with the requests of the second file'],
  ],
  exits:
    'Exit: 0 done, 1 requests got slower (p50 or mean by more than 5 %, and three standard errors of a rank test; or p99 by more than 5 % and beyond its 95 % intervals), 2 the call is bad or no request could be analysed.',
  check: sidesOf,
  async answer(values, files, host) {
    const { before, after } = sidesOf(values, files)
    const was = await analyseFiles([before], values, host)
    const { analysis } = await analyseFiles([after], values, host)
    const view = differenceOf(was.analysis, analysis)
    const repairs = new Repairs()
    for (const side of [was.analysis, analysis]) repairs.merge(side.repairs)
    return {
      analysis,
      findings: { diff: view },
      files: [before, after],
      table: (_, paint) => [formatDiff(view, values.top, paint)],
      json: () => ({ diff: { ...view, services: view.services.slice(0, values.top) } }),
      repairs,
      exit: view.isWorse ? EXIT.badAnswer : EXIT.done,
    }
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

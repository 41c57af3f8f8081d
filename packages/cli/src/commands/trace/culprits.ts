import { type CriticalPath, CulpritWindow } from '@trimtab/trace'
import { type Command, EXIT } from '../../command.js'
import type { Host } from '../../host.js'
import { textOption, UsageError, type Values } from '../../options.js'
import { readText } from '../../read-file.js'
import { SAMPLES } from '../../samples.js'
import { baselineOption, readBaseline } from '../../trace/baseline.js'
import { defineTraceCommand, type TraceAnswer } from '../../trace/define-trace-command.js'
import { IncidentWindows, judge, parseLabels } from '../../trace/labels.js'
import { type CommonValues, readingBeside } from '../../trace/options.js'
import { analyseFiles } from '../../trace/run.js'
import { suspectFixes, suspectsAgainst, suspectsWithin, withGains } from '../../trace/suspects.js'
import { formatCulprits, formatHeading, formatJudgement } from '../../trace/tables.js'

const options = {
  baseline: baselineOption('the files are judged by themselves, and nothing says how surely'),
  labels: textOption(
    'FILE',
    'CSV with fault_id,root_cause_service: judge the ranking on incidents; their trace ids begin with fault_id and a dash, other traces are the baseline',
    undefined,
  ),
}

type CulpritValues = CommonValues & Values<typeof options>

/** `trimtab trace culprits`: which service to fix and, with a baseline, how sure that is. */
export const culprits: Command = defineTraceCommand({
  name: 'culprits',
  summary: 'Which service, or way to it, to fix: a ranking with reasons; with a baseline also how sure each is',
  options,
  formats: ['table', 'json', 'html'],
  sample: [SAMPLES.slowTraces, '--baseline', SAMPLES.usualTraces],
  examples: [
    ['trimtab trace culprits --sample', 'on traces that come with the package: one service lacks CPU'],
    ['trimtab trace culprits slow.json --baseline usual.json', 'what is different now, service by service'],
    ['trimtab trace culprits slow.json --service checkout --report culprits.html', 'only requests that reach checkout'],
    [
      'trimtab trace culprits spans.csv.gz --labels faults.csv',
      'how often the true culprit comes first, beside simpler methods',
    ],
  ],
  exits: 'Exit: 0 done, 1 no service stands out, 2 the call is bad or no request could be analysed.',
  answer(values, files, host) {
    return values.labels === undefined
      ? rankServices(files, values, host)
      : judgeIncidents(files, values, values.labels, host)
  },
})

async function rankServices(files: readonly string[], values: CulpritValues, host: Host): Promise<TraceAnswer> {
  const baseline = values.baseline === undefined ? undefined : await readBaseline(values.baseline, values, host)
  const window = new CulpritWindow()
  const onPath = (path: CriticalPath) => window.add(path)
  const { core, analysis, replay } = await analyseFiles(files, values, host, { onPath, isReplayed: true })
  const ranked = baseline
    ? suspectsAgainst(core, window, baseline.window, values.top)
    : suspectsWithin(core, analysis.profile, values.top)
  const found = withGains(ranked, await replay(suspectFixes(ranked), baseline?.times))
  return {
    analysis,
    findings: { culprits: found },
    table: (report, paint) => [formatHeading(report, paint), '\n', formatCulprits(found, paint)],
    json: () => ({ culprits: found }),
    ...(found.suspects.length === 0 && { exit: EXIT.badAnswer, note: 'no service stands out here' }),
  }
}

async function judgeIncidents(
  files: readonly string[],
  values: CulpritValues,
  labelsFile: string,
  host: Host,
): Promise<TraceAnswer> {
  const labels = parseLabels(
    await readText(labelsFile, readingBeside(values, host), `--labels ${labelsFile}`),
    labelsFile,
  )
  const baseline =
    values.baseline === undefined ? undefined : (await readBaseline(values.baseline, values, host)).window
  const windows = new IncidentWindows()
  const { core, analysis } = await analyseFiles(files, values, host, { onPath: (path) => windows.add(path) })
  const known = labels.filter(({ fault }) => windows.window(fault))
  if (known.length === 0)
    throw new UsageError(
      `no trace belongs to an incident of ${labelsFile}: trace ids must begin with a fault_id and a dash; they begin with ${windows.groups.slice(0, 5).join(', ') || 'no dash at all'}`,
    )
  const judgement = judge(core, known, windows, baseline)
  return {
    analysis,
    table: (report, paint) => [formatHeading(report, paint), '\n', formatJudgement(judgement, paint)],
    json: () => ({ judgement }),
  }
}

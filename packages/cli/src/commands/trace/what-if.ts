import { type Command, defineCommand, EXIT } from '../../command.js'
import { choiceOption, suggestion, UsageError } from '../../options.js'
import { createPaint } from '../../terminal.js'
import { jsonReport } from '../../trace/json.js'
import { commonOptions, speedOption } from '../../trace/options.js'
import { checkDestination, deliver, tellRepairs } from '../../trace/output.js'
import { renderTraceReport } from '../../trace/report/index.js'
import type { SpeedChange } from '../../trace/report/types.js'
import { analyseFiles, settingsOf } from '../../trace/run.js'
import { formatHeading, formatWhatIf } from '../../trace/tables.js'
import { usualChanges } from '../../trace/what-if.js'

const options = {
  'speed-up': speedOption('N times as fast; several with commas', (factor) => factor),
  'slow-down': speedOption('N times as slow; several with commas', (factor) => 1 / factor),
  format: choiceOption('of the answer', ['table', 'json', 'html'], 'table'),
  ...commonOptions,
}

export const whatIf: Command = defineCommand({
  name: 'trace what-if',
  summary: 'What a fix would buy: all requests replayed with a service faster or slower, with bounds',
  operands: 'FILE…',
  options,
  examples: [
    ['trimtab trace what-if day.ndjson', 'each of the heaviest services twice as fast: where work pays'],
    ['trimtab trace what-if day.ndjson --speed-up cart=2', 'one service, its callers and siblings moving along'],
    ['trimtab trace what-if day.ndjson --speed-up cart=2,db=1.5 --slow-down ads=3', 'each alone, then all together'],
  ],
  exits: 'Exit: 0 done, 2 the call is bad or no request could be analysed.',
  async run(values, host, files) {
    if (values.mode !== 'blocking')
      throw new UsageError(`--mode must be blocking here, got ${values.mode}: no other says who waited for whom`)
    await checkDestination(values, host)
    const { analysis, replay } = await analyseFiles(files, values, host, { isReplayed: true })
    const asked = [...values['speed-up'], ...values['slow-down']]
    checkServices(asked, new Set(analysis.profile.services().map(({ service }) => service)))
    const single = asked.map((change) => [change])
    const cases =
      single.length > 0
        ? [...single, ...(single.length > 1 ? [asked] : [])]
        : usualChanges(analysis.services, values.top)
    const found = await replay(cases)
    const report = analysis.report('what-if', files, settingsOf(values), { whatIf: found })
    const paint = createPaint(host.stdout, host.env)
    const answers = {
      table: () => [formatHeading(report, paint), '\n', formatWhatIf(found, paint)],
      json: () => [jsonReport(report, { whatIf: found })],
      html: () => [renderTraceReport(report)],
    }
    await deliver(answers[values.json ? 'json' : values.format](), report, values, host)
    tellRepairs(analysis.repairs, host)
    return EXIT.done
  },
})

/** @throws {UsageError} for every service that no request reaches */
function checkServices(changes: readonly SpeedChange[], services: ReadonlySet<string>): void {
  const problems = changes
    .filter(({ service }) => !services.has(service))
    .map(({ service }) => {
      const near = suggestion(service, [...services], '')
      return `no request reaches ${service}${near || `; services here: ${[...services].slice(0, 10).join(', ')}`}`
    })
  if (problems.length > 0) throw new UsageError(problems.join('\n'))
}

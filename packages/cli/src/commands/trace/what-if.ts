import type { Command } from '../../command.js'
import { suggestion, UsageError } from '../../options.js'
import { defineTraceCommand } from '../../trace/define-trace-command.js'
import { speedOption } from '../../trace/options.js'
import type { SpeedChange } from '../../trace/report/types.js'
import { analyseFiles } from '../../trace/run.js'
import { formatHeading, formatWhatIf } from '../../trace/tables.js'
import { usualChanges } from '../../trace/what-if.js'

/** `trimtab trace what-if`: the same requests with services faster or slower. */
export const whatIf: Command = defineTraceCommand({
  name: 'what-if',
  summary: 'What a fix would buy: all requests replayed with a service faster or slower, with bounds',
  options: {
    'speed-up': speedOption('N times as fast; several with commas', (factor) => factor),
    'slow-down': speedOption('N times as slow; several with commas', (factor) => 1 / factor),
  },
  formats: ['table', 'json', 'html'],
  examples: [
    ['trimtab trace what-if day.ndjson', 'each of the heaviest services twice as fast: where work pays'],
    ['trimtab trace what-if day.ndjson --speed-up cart=2', 'one service, its callers and siblings moving along'],
    ['trimtab trace what-if day.ndjson --speed-up cart=2,db=1.5 --slow-down ads=3', 'each alone, then all together'],
  ],
  check({ mode }) {
    if (mode !== 'blocking')
      throw new UsageError(`--mode must be blocking here, got ${mode}: no other says who waited for whom`)
  },
  async answer(values, files, host) {
    const { analysis, replay } = await analyseFiles(files, values, host, { isReplayed: true })
    const asked = [...values['speed-up'], ...values['slow-down']]
    checkServices(asked, new Set(analysis.profile.services().map(({ service }) => service)))
    const single = asked.map((change) => [change])
    const cases =
      single.length > 0
        ? [...single, ...(single.length > 1 ? [asked] : [])]
        : usualChanges(analysis.services, values.top)
    const found = await replay(cases)
    return {
      analysis,
      findings: { whatIf: found },
      table: (report, paint) => [formatHeading(report, paint), '\n', formatWhatIf(found, paint)],
      json: () => ({ whatIf: found }),
    }
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

import type { Command } from '../../command.js'
import { suggestion, UsageError } from '../../options.js'
import { SAMPLES } from '../../samples.js'
import { baselineOption, readBaseline } from '../../trace/baseline.js'
import { defineTraceCommand } from '../../trace/define-trace-command.js'
import { placesOption, speedOption } from '../../trace/options.js'
import { placeText } from '../../trace/report/format.js'
import type { PlaceView } from '../../trace/report/types.js'
import { analyseFiles } from '../../trace/run.js'
import { formatHeading, formatWhatIf } from '../../trace/tables.js'
import { asInBaseline, baselineChanges, usualChanges } from '../../trace/what-if.js'

/** `trimtab trace what-if`: the same requests with services, or the ways between them, faster, slower or as they used to be. */
export const whatIf: Command = defineTraceCommand({
  name: 'what-if',
  summary:
    'What a fix would buy: all requests replayed with a service or a way between two faster, slower or as in a baseline, with bounds',
  options: {
    baseline: baselineOption('nothing can be replayed as it used to be'),
    'as-baseline': placesOption('with --baseline: as it was there; several with commas, ways as FROM->TO'),
    'speed-up': speedOption('N times as fast; several with commas', (factor) => factor),
    'slow-down': speedOption('N times as slow; several with commas', (factor) => 1 / factor),
  },
  formats: ['table', 'json', 'html'],
  sample: [SAMPLES.slowTraces, '--baseline', SAMPLES.usualTraces],
  examples: [
    ['trimtab trace what-if day.ndjson', 'each of the heaviest services twice as fast: where work pays'],
    ['trimtab trace what-if day.ndjson --speed-up cart=2', 'one service, its callers and siblings moving along'],
    ['trimtab trace what-if slow.json --baseline usual.json', 'each as it used to be: what the difference costs'],
    [
      'trimtab trace what-if slow.json --baseline usual.json --as-baseline "front->cart"',
      'only the way there: network, connection, queue',
    ],
    ['trimtab trace what-if day.ndjson --speed-up cart=2,db=1.5 --slow-down ads=3', 'each alone, then all together'],
  ],
  check({ mode, baseline, 'as-baseline': asBaseline }) {
    if (asBaseline.length > 0 && baseline === undefined)
      throw new UsageError('--as-baseline needs --baseline: traces of a time when all was well')
    if (mode !== 'blocking')
      throw new UsageError(`--mode must be blocking here, got ${mode}: no other says who waited for whom`)
  },
  async answer(values, files, host) {
    const baseline =
      values.baseline === undefined ? undefined : (await readBaseline(values.baseline, values, host)).times
    const { analysis, replay } = await analyseFiles(files, values, host, { isReplayed: true })
    const asked = [...values['as-baseline'].map(asInBaseline), ...values['speed-up'], ...values['slow-down']]
    checkPlaces(asked, [
      ...analysis.profile.services(),
      ...analysis.profile.edges().map(({ caller, callee, kind }) => ({ service: caller, callee, kind })),
    ])
    const single = asked.map((change) => [change])
    const cases =
      single.length > 0
        ? [...single, ...(single.length > 1 ? [asked] : [])]
        : [
            ...(baseline ? baselineChanges(analysis.services, values.top) : []),
            ...usualChanges(analysis.services, values.top),
          ]
    const found = await replay(cases, baseline)
    return {
      analysis,
      findings: { whatIf: found },
      table: (report, paint) => [formatHeading(report, paint), '\n', formatWhatIf(found, report.latency, paint)],
      json: () => ({ whatIf: found }),
    }
  },
})

/** @throws {UsageError} for every place that no request reaches */
function checkPlaces(asked: readonly PlaceView[], places: readonly PlaceView[]): void {
  const names = new Set(places.map(placeText))
  const problems = [...new Set(asked.map(placeText))]
    .filter((name) => !names.has(name))
    .map((name) => {
      const near = suggestion(name, [...names], '')
      return `no request reaches ${name}${near || `; there are ${[...names].slice(0, 10).join(', ')}`}`
    })
  if (problems.length > 0) throw new UsageError(problems.join('\n'))
}

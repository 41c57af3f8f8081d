// What the commands of `trimtab trace` have in common: where the answer goes, in which form, and what is said beside it.
import type { Repairs } from '@trimtab/trace'
import { type Command, type CommandDefinition, defineCommand, EXIT } from '../command.js'
import type { Host } from '../host.js'
import { choiceOption, type Option, type Options, type Values } from '../options.js'
import { createPaint, type Paint } from '../terminal.js'
import type { Findings, TraceAnalysis } from './analysis.js'
import { jsonReport } from './json.js'
import { type CommonValues, commonOptions } from './options.js'
import { checkDestination, deliver, tellRepairs } from './output.js'
import { renderTraceReport } from './report/index.js'
import type { TraceReport } from './report/types.js'
import { settingsOf } from './run.js'

/** The forms that every command can answer in. */
type CommonFormat = 'table' | 'json' | 'html'

/** What a command found, and how it is shown. F: the forms it can answer in. */
export interface TraceAnswer<F extends string = CommonFormat> {
  readonly analysis: TraceAnalysis
  /** What was found beside the profile. */
  readonly findings?: Findings
  /** The inputs, where they are not the operands. */
  readonly files?: readonly string[]
  table(report: TraceReport, paint: Paint): Iterable<string>
  /** The command's own part of the JSON. */
  json(report: TraceReport): object
  /** The forms beside table, JSON and page. */
  readonly others?: { readonly [format in Exclude<F, CommonFormat>]: () => Iterable<string> }
  /** What had to be mended. Default: in `analysis`. */
  readonly repairs?: Repairs
  /** Default: done. */
  readonly exit?: number
  /** Last line on stderr. */
  readonly note?: string
}

/** Values of a trace command: its own, the common ones and the form of the answer. */
export type TraceValues<O extends Options, F extends string> = Values<O> & CommonValues & { readonly format: F }

/** A command of `trimtab trace`; `operands` and `exits` are the usual ones unless told. */
export interface TraceCommandDefinition<O extends Options, F extends string>
  extends Pick<CommandDefinition<O>, 'name' | 'summary' | 'operands' | 'options' | 'sample' | 'examples'> {
  /** Of the answer, in the order of the help: `table`, `json` and `html`, and others. */
  readonly formats: readonly (F | CommonFormat)[]
  readonly formatHelp?: string
  readonly exits?: string
  /** @throws {UsageError} for values that contradict each other; before anything is read */
  check?(values: TraceValues<O, F>, files: readonly string[]): void
  answer(values: TraceValues<O, F>, files: readonly string[], host: Host): Promise<TraceAnswer<F>>
}

/** Whether the answer holds a page, for which all requests are replayed. */
export const isPage = (values: { readonly format: string; readonly json: boolean } & CommonValues): boolean =>
  (values.format === 'html' && !values.json) || values.report !== undefined

/** @see TraceCommandDefinition */
export function defineTraceCommand<O extends Options, F extends string = CommonFormat>(
  definition: TraceCommandDefinition<O, F>,
): Command {
  const { name, operands = 'FILE…', formats, formatHelp = 'of the answer', ...rest } = definition
  const { exits = 'Exit: 0 done, 2 the call is bad or no request could be analysed.' } = rest
  const format: Option<F | CommonFormat> = choiceOption(formatHelp, formats, 'table')
  const options = { ...definition.options, format, ...commonOptions }
  return defineCommand<typeof options>({
    ...rest,
    name: `trace ${name}`,
    operands,
    exits,
    options,
    async run(given, host, files) {
      const values = given as unknown as TraceValues<O, F>
      definition.check?.(values, files)
      await checkDestination(values, host)
      const answer = await definition.answer(values, files, host)
      const { analysis, findings, repairs = analysis.repairs } = answer
      const report = analysis.report(name, answer.files ?? files, settingsOf(values), findings)
      await deliver(piecesOf(values.json ? 'json' : values.format, answer, report, host), report, values, host)
      tellRepairs(repairs, host)
      if (answer.note !== undefined) host.stderr.write(`trimtab: ${answer.note}\n`)
      return answer.exit ?? EXIT.done
    },
  })
}

function piecesOf<F extends string>(
  format: F | CommonFormat,
  answer: TraceAnswer<F>,
  report: TraceReport,
  host: Host,
): Iterable<string> {
  switch (format) {
    case 'table':
      return answer.table(report, createPaint(host.stdout, host.env))
    case 'json':
      return [jsonReport(report, answer.json(report))]
    case 'html':
      return [renderTraceReport(report)]
    default:
      return answer.others![format as Exclude<F, CommonFormat>]()
  }
}

// What all commands of `trimtab trace` take: where the traces are, which of them, how the path is found, where the answer goes.
import { type PathOptions, READ_LIMITS, type ReadLimits, type TraceFormat } from '@trimtab/trace'
import type { Host } from '../host.js'
import { choiceOption, numberOption, type Option, sizeOption, switchOption, textOption } from '../options.js'
import { type Reading, readingOf, readingOptions } from '../read-file.js'
import type { PlaceView, SpeedChange } from './report/types.js'

export const TRACE_FORMATS: readonly TraceFormat[] = ['jaeger', 'otlp-json', 'otlp-protobuf', 'zipkin', 'csv']

const LONGEST_US = 1e12 // eleven days
const WAITING = ['background', 'blocking'] as const

export interface CommonValues {
  readonly 'input-format': TraceFormat | undefined
  readonly service: string | undefined
  readonly operation: string | undefined
  readonly percentile: Slice | undefined
  readonly mode: NonNullable<PathOptions['mode']>
  readonly 'overlap-tolerance': number | 'auto'
  readonly 'clock-skew': number | undefined
  readonly 'follows-from': (typeof WAITING)[number]
  readonly 'producer-consumer': (typeof WAITING)[number]
  readonly 'late-child': NonNullable<PathOptions['lateChild']>
  readonly 'max-bytes': number | undefined
  readonly 'max-token-bytes': number
  readonly 'max-spans': number
  readonly 'max-names': number
  readonly 'max-text-bytes': number
  readonly top: number
  readonly out: string | undefined
  readonly report: string | undefined
  readonly json: boolean
}

export const commonOptions: { readonly [K in keyof CommonValues]: Option<CommonValues[K]> } = {
  'input-format': choiceOption('what the files are (default: detected)', TRACE_FORMATS, undefined),
  service: textOption('NAME', 'only requests that reach this service, from its first span on', undefined),
  operation: textOption('NAME', 'only requests that reach this operation, from its first span on', undefined),
  percentile: sliceOption('only requests between two percentiles of latency: 95-99, or 99 for 99-100'),
  mode: choiceOption(
    'what a path is: what the caller waited for, to the last event of the trace, or Algorithm 3.1 to the letter',
    ['blocking', 'to-trace-end', 'firm'],
    'blocking',
  ),
  'overlap-tolerance': toleranceOption(
    'µs by which calls one after the other may overlap; auto: the clocks’ resolution',
  ),
  'clock-skew': numberOption(
    'move spans of other hosts by up to N µs into their callers (default: no span is moved)',
    undefined,
    {
      min: 0,
      max: LONGEST_US,
      fraction: true,
    },
  ),
  'follows-from': choiceOption('whether anybody waits for a span that follows from its parent', WAITING, 'background'),
  'producer-consumer': choiceOption('whether a producer waits for its consumers', WAITING, 'background'),
  'late-child': choiceOption('what a span is that ends after its parent', ['clamp', 'background'], 'clamp'),
  'max-bytes': sizeOption(
    'the most that is read of one file or of stdin, unpacked (default 16GiB; 256MiB of stdin, 64MiB where that is read more than once)',
    undefined,
  ),
  'max-token-bytes': sizeOption('the longest string, span or row of a table', READ_LIMITS.maxTokenBytes),
  'max-spans': numberOption(
    'spans held at once: of a trace, of a file whose traces interleave, or of traces that lie in several files',
    READ_LIMITS.maxSpans,
    {
      min: 1,
      max: 1e9,
    },
  ),
  'max-names': numberOption('different names of services, operations, instances and hosts', READ_LIMITS.maxNames, {
    min: 1,
    max: 1e9,
  }),
  'max-text-bytes': sizeOption('memory for names, and for ids that are text', READ_LIMITS.maxTextBytes),
  top: numberOption('rows of each list', 10, { min: 1, max: 100_000 }),
  out: textOption('FILE', 'where the answer goes (default: stdout)', undefined),
  report: textOption('FILE', 'write the HTML report there as well', undefined),
  json: switchOption('the same as --format json'),
}

export const pathOptionsOf = (values: CommonValues): PathOptions => ({
  mode: values.mode,
  overlapTolerance: values['overlap-tolerance'],
  followsFrom: values['follows-from'],
  producerConsumer: values['producer-consumer'],
  lateChild: values['late-child'],
})

export const limitsOf = (values: CommonValues): Partial<ReadLimits> => ({
  ...(values['max-bytes'] !== undefined && { maxBytes: values['max-bytes'] }),
  maxTokenBytes: values['max-token-bytes'],
  maxSpans: values['max-spans'],
  maxNames: values['max-names'],
  maxTextBytes: values['max-text-bytes'],
})

/** For what is read beside the traces, whole. */
export const readingBeside = (values: CommonValues, host: Host): Reading =>
  readingOf(host, {
    'max-bytes': values['max-bytes'] ?? readingOptions['max-bytes'].fallback,
    'max-lines': readingOptions['max-lines'].fallback,
  })

export interface Slice {
  /** Percentiles, 0 to 100. */
  readonly from: number
  readonly to: number
}

function sliceOption(help: string): Option<Slice | undefined> {
  return {
    value: 'A-B',
    help,
    fallback: undefined,
    read(text) {
      const match = /^p?(\d+(?:\.\d+)?)(?:-p?(\d+(?:\.\d+)?))?$/.exec(text)
      const [from, to] = [Number(match?.[1]), Number(match?.[2] ?? 100)]
      return match && from < to && to <= 100
        ? { value: { from, to } }
        : { must: 'must be two percentiles from 0 to 100, the smaller first' }
    },
  }
}

function toleranceOption(help: string): Option<number | 'auto'> {
  return {
    value: 'auto|N',
    help,
    fallback: 0,
    read(text) {
      if (text === 'auto') return { value: 'auto' }
      const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
      return number <= LONGEST_US ? { value: number } : { must: 'must be auto or a number of microseconds' }
    },
  }
}

/** `cart=2,front->cart=1.5`. @param turn  from the number given to times as fast */
export function speedOption(help: string, turn: (factor: number) => number): Option<readonly SpeedChange[]> {
  return {
    value: 'PLACE=N',
    help,
    fallback: [],
    read(text) {
      const changes = text.split(',').map((part) => {
        const at = part.lastIndexOf('=')
        const number = part.slice(at + 1)
        return {
          place: placeOf(part.slice(0, Math.max(0, at))),
          factor: /^\d+(\.\d+)?$/.test(number) ? Number(number) : 0,
        }
      })
      return changes.every(({ place, factor }) => place && factor > 0)
        ? { value: changes.map(({ place, factor }) => ({ ...place!, speedUp: turn(factor) })) }
        : { must: 'must be the name of a service, or FROM->TO, then = and a number above 0' }
    },
  }
}

/** `cart,front->cart`. */
export function placesOption(help: string): Option<readonly PlaceView[]> {
  return {
    value: 'PLACE',
    help,
    fallback: [],
    read(text) {
      const places = text.split(',').map(placeOf)
      return places.every((place) => place !== undefined)
        ? { value: places }
        : { must: 'must be names of services, or FROM->TO, with commas between' }
    },
  }
}

/** `cart`; `front->cart` or `front → cart`, with ` (queue)` for what was handed over. */
function placeOf(text: string): PlaceView | undefined {
  const [service = '', callee, ...more] = text.split(/->|→/).map((name) => name.trim())
  if (service === '' || callee === '' || more.length > 0) return undefined
  if (callee === undefined) return { service }
  const bare = callee.replace(/ *\(queue\)$/, '')
  return { service, callee: bare, kind: bare === callee ? 'call' : 'queue' }
}

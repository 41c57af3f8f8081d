import { TraceError } from '@trimtab/core'
import type { TraceBuilder } from '../trace-builder.js'
import type { ByteCursor } from './byte-cursor.js'

/**
 * How much of an input is taken and held before its reading gives up. Looked at once a chunk, so a reading may go over a limit by what
 * one chunk holds.
 */
export interface ReadLimits {
  /** Bytes of the input, unpacked. */
  readonly maxBytes: number
  /** Bytes that must lie there whole: a string, a span with its attributes, a row of a table. */
  readonly maxTokenBytes: number
  /**
   * Spans held at once: of a trace, or of the input where its format lets traces interleave; of several inputs that are joined
   * also those of all traces that lie in more than one place.
   */
  readonly maxSpans: number
  /** Different names of services, operations, instances and hosts: a profile keeps about 4 KB for each. */
  readonly maxNames: number
  /** Bytes of memory for all different names, and for ids that are text; of inputs that are joined also for the ids of all traces. */
  readonly maxTextBytes: number
}

/** With these a reading and the profile of what it read stay below 300 MB, whatever comes. */
export const READ_LIMITS: ReadLimits = {
  maxBytes: 2 ** 34,
  maxTokenBytes: 2 ** 24,
  maxSpans: 1_000_000,
  maxNames: 30_000,
  maxTextBytes: 2 ** 26,
}

/**
 * Looks at a reading that asks for more: what the cursor holds then is the beginning of one unit.
 * @throws {TraceError} `trace_too_large`, naming the limit and the option of the command that raises it
 */
export function checkLimits(cursor: ByteCursor, builder: TraceBuilder, limits: ReadLimits): void {
  const { maxBytes, maxTokenBytes } = limits
  if (cursor.received > maxBytes) fail(`it has more than ${maxBytes} bytes, unpacked`, 'maxBytes')
  if (cursor.held > maxTokenBytes)
    fail(`it has a token, span or field of more than ${maxTokenBytes} bytes`, 'maxTokenBytes')
  checkHeld(builder, limits)
}

/** The same for what a builder holds. @throws {TraceError} `trace_too_large` */
export function checkHeld(builder: TraceBuilder, { maxSpans, maxNames, maxTextBytes }: ReadLimits): void {
  if (builder.size > maxSpans) fail(`more than ${maxSpans} spans must be held at once`, 'maxSpans')
  if (builder.names.size > maxNames) fail(`it has more than ${maxNames} different names`, 'maxNames')
  checkText(builder.names.bytes + builder.traceIds.bytes + builder.columns.id.texts.bytes, maxTextBytes)
}

/** @throws {TraceError} `trace_too_large` */
export function checkText(bytes: number, maxTextBytes: number): void {
  if (bytes > maxTextBytes) fail(`its names and ids take more than ${maxTextBytes} bytes`, 'maxTextBytes')
}

function fail(what: string, limit: keyof ReadLimits): never {
  const option = `--${limit.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  throw new TraceError(
    'trace_too_large',
    `the input is too large: ${what}; raise ${limit} (${option}), or read less of it`,
  )
}

// Where an answer goes, and what is said beside it.
import { REPAIRS, type Repairs } from '@trimtab/trace'
import type { Host } from '../host.js'
import { UsageError } from '../options.js'
import { createPaint } from '../terminal.js'
import { count } from './report/format.js'
import { renderTraceReport } from './report/index.js'
import type { TraceReport } from './report/types.js'

export interface Destination {
  readonly out?: string | undefined
  readonly report?: string | undefined
  readonly 'save-model'?: string | undefined
}

/** @throws {UsageError} before anything is read, when a file could not be written afterwards */
export async function checkDestination(destination: Destination, host: Host): Promise<void> {
  const problems: string[] = []
  for (const option of ['out', 'report', 'save-model'] as const) {
    const path = destination[option]
    if (path !== undefined && !(await host.canWrite(path)))
      problems.push(`--${option} ${path} cannot be written: name a file in a folder that is there`)
  }
  if (problems.length > 0) throw new UsageError(problems.join('\n'))
}

/** Writes the answer to stdout or to `--out`, and the page to `--report`. */
export async function deliver(
  pieces: Iterable<string>,
  report: TraceReport,
  { out, report: page }: Destination,
  host: Host,
): Promise<void> {
  const files: string[] = []
  if (out === undefined) for (const batch of batches(pieces)) host.stdout.write(batch)
  else {
    await host.writeFile(out, batches(pieces))
    files.push(out)
  }
  if (page !== undefined) {
    await host.writeFile(page, renderTraceReport(report))
    files.push(page)
  }
  for (const file of files) host.stderr.write(`written: ${file}\n`)
}

const BATCH_LENGTH = 1 << 16

/** Few large writes instead of many small ones. */
function* batches(pieces: Iterable<string>): Generator<string, void> {
  let batch = ''
  for (const piece of pieces) {
    batch += piece
    if (batch.length < BATCH_LENGTH) continue
    yield batch
    batch = ''
  }
  if (batch !== '') yield batch
}

/** What had to be mended, a line each code, on stderr. */
export function tellRepairs(repairs: Repairs, host: Host): void {
  const paint = createPaint(host.stderr, host.env)
  for (const { code, count: times, examples } of repairs.list()) {
    const where = examples.length > 0 ? paint.dim(` (${examples[0]}${times > 1 ? ', …' : ''})`) : ''
    host.stderr.write(`${paint.bold('mended:')} ${code} ×${count(times)}: ${REPAIRS[code]}${where}\n`)
  }
}

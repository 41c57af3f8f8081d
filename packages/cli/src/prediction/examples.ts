// Finished requests in files: a line of JSON each.
import { type LengthExample, MOST_OUTPUT_TOKENS } from '@trimtab/serve'
import { UsageError } from '../options.js'
import { type Reading, readText } from '../read-file.js'

const MOST_PROBLEMS = 5

/** A finished request and where it comes from. */
export interface SourcedExample extends LengthExample {
  readonly source: string
  /** On what terms the source may be used; empty where the file says nothing. */
  readonly tier: string
}

/**
 * Reads `{"prompt": …, "model": …, "output_tokens": …}` lines, with `source` and `tier` where they are there; gzip is undone.
 * @param where  keeps rows whose field has this text
 * @throws {UsageError} with the lines that cannot be used
 */
export async function readExamples(
  path: string,
  reading: Reading,
  where?: { readonly field: string; readonly text: string },
): Promise<SourcedExample[]> {
  const text = await readText(path, reading)
  const problems: string[] = []
  const rows: SourcedExample[] = []
  let lines = 0
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    lines += 1
    const row = parseRow(line)
    if (typeof row === 'string') problems.push(`${path}, line ${i + 1}: ${row}`)
    else if (where === undefined || String(row[where.field] ?? '') === where.text) rows.push(toExample(row))
    if (problems.length >= MOST_PROBLEMS) break
  }
  if (problems.length > 0) throw new UsageError(problems.join('\n'))
  if (lines === 0) throw new UsageError(`${path} holds no rows`)
  if (rows.length === 0) throw new UsageError(`${path} has no row with ${where?.field}=${where?.text}`)
  return rows
}

type Row = Readonly<Record<string, unknown>> & {
  readonly prompt: string
  readonly model: string
  readonly output_tokens: number
}

/** The row, or what is wrong with it. */
function parseRow(line: string): Row | string {
  let row: Record<string, unknown>
  try {
    row = JSON.parse(line)
  } catch {
    return 'no JSON' // the line is somebody's prompt: it is not quoted
  }
  if (typeof row?.prompt !== 'string') return 'prompt must be a text'
  if (typeof row.model !== 'string') return 'model must be a text'
  const tokens = row.output_tokens
  if (typeof tokens !== 'number' || !(tokens >= 0 && tokens <= MOST_OUTPUT_TOKENS))
    return `output_tokens must be a number from 0 to ${MOST_OUTPUT_TOKENS}`
  return row as Row
}

const toExample = (row: Row): SourcedExample => ({
  prompt: row.prompt,
  model: row.model,
  outputTokens: row.output_tokens,
  source: String(row.source ?? 'unnamed'),
  tier: String(row.tier ?? ''),
})

/** Rows by source, in the order of the file. */
export function bySource<T extends { readonly source: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const group = groups.get(row.source)
    if (group) group.push(row)
    else groups.set(row.source, [row])
  }
  return groups
}

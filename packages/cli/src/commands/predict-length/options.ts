import { numberOption, type Option, textOption, UsageError } from '../../options.js'

export const seedOption: Option<number> = numberOption('same seed, same numbers', 1, {
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
})

export const whereOption: Option<string | undefined> = textOption(
  'FIELD=TEXT',
  'use only the rows whose field has this text, as tier=permissive',
  undefined,
)

/** @throws {UsageError} */
export function readWhere(where: string | undefined): { readonly field: string; readonly text: string } | undefined {
  if (where === undefined) return undefined
  const at = where.indexOf('=')
  if (at < 1) throw new UsageError(`--where must be FIELD=TEXT, got ${JSON.stringify(where)}`)
  return { field: where.slice(0, at), text: where.slice(at + 1) }
}

export const FILES: string =
  'FILE: a line of JSON a finished request, gzip or not: {"prompt": "…", "model": "…", "output_tokens": 120[, "source": "…", "tier": "…"]}'

import { escapeHtml, jsonForScript } from './format.js'
import { sha256Base64 } from './sha256.js'

export interface Page {
  /** Plain text. */
  readonly title: string
  readonly style: string
  /** HTML between `<body>` and the numbers. */
  readonly body: string
  /** The numbers of the page, as JSON in `<script type="application/json" id="…">`. */
  readonly data: { readonly id: string; readonly value: unknown }
  /** What brings the page to life. */
  readonly script?: string
}

/**
 * A page that needs nothing else: no network, no server. Its policy allows this style and this script by their hashes, and nothing
 * besides: a name from a trace that got past the escaping still could not run. Attributes `style` stay allowed, for lengths of bars.
 */
export function renderDocument({ title, style, body, data, script }: Page): string {
  const policy = [
    "default-src 'none'",
    "style-src 'unsafe-inline'", // attributes; where a browser knows style-src-elem, no other element
    `style-src-elem 'sha256-${sha256Base64(style)}'`,
    ...(script === undefined ? [] : [`script-src 'sha256-${sha256Base64(script)}'`]),
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escapeHtml(title)}</title><link rel="icon" href="data:,">
<style>${style}</style></head>
<body>${body}
<script type="application/json" id="${data.id}">${jsonForScript(data.value)}</script>${script === undefined ? '' : `\n<script>${script}</script>`}</body></html>
`
}

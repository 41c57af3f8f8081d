// What `trimtab help` says, in lines that fit the terminal.
import type { Output } from './host.js'
import { VERBS } from './verbs.js'

const SMALLEST = 40 // columns; a narrower terminal wraps by itself

/** The help of the command as a whole. */
export async function helpOfAll(): Promise<string> {
  const verbs = await Promise.all(Object.entries(VERBS).map(async ([name, load]) => ({ name, command: await load() })))
  const width = Math.max(...verbs.map(({ name }) => name.length))
  const lineOf = ({ name, command }: (typeof verbs)[number]): string => `  ${name.padEnd(width)}  ${command.summary}`
  const groups = Object.entries(GROUPS).map(([title, names]) =>
    [`${title}:`, ...names.map((name) => lineOf(verbs.find((verb) => verb.name === name)!))].join('\n'),
  )
  return `Learned cloud management: policies that start from the rules they replace.

Usage: trimtab <command> [options]

${groups.join('\n\n')}

Options:
  -h, --help     show this; trimtab help <command> or trimtab <command> --help shows the command's options
  -v, --version  show the version

Examples:
${HELP_EXAMPLES.map((call) => `  ${call}`).join('\n')}

Results go to stdout, progress to stderr. Exit: 0 done, 1 the answer is bad, 2 the call is bad.
`
}

/** Every command, by whom it is for. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Autoscaling: ['autoscale', 'recommend', 'operator', 'live', 'serverless', 'rightsize'],
  Traces: ['trace', 'collect', 'mitigate'],
  'Requests to language models': ['schedule', 'gateway', 'predict-length'],
  'GPUs and this machine': ['gpu', 'linux', 'doctor'],
  'Learning and research': ['compare', 'pretrain', 'adapt', 'embed', 'similarity', 'tenants'],
  'The terminal': ['completion'],
}

/** The calls that the help of the command as a whole shows. */
export const HELP_EXAMPLES: readonly string[] = [
  'trimtab autoscale',
  'trimtab autoscale --load requests-per-minute.csv --apps 3',
  'trimtab rightsize runs.csv --measured mine.csv --max-seconds 60',
  'trimtab trace culprits --sample',
  'trimtab trace culprits slow.json.gz --baseline usual.json.gz',
  'trimtab schedule --sample --online',
  'trimtab doctor',
]

/** Help as `output` shows it best: a pipe gets it as it is, a terminal gets no line that is longer than its own. */
export function fitHelp(text: string, output: Output): string {
  if (output.isTTY !== true) return text
  const columns = Math.max(SMALLEST, output.columns ?? 80)
  return text
    .split('\n')
    .map((line) => (line.length <= columns ? line : foldLine(line, columns)))
    .join('\n')
}

/** A long line as several: what goes on stands below its own column, or below its name where the column is too far right. */
function foldLine(line: string, columns: number): string {
  const [, name = '', body = line] = /^( +\S.*? {2,})(\S.*)$/.exec(line) ?? []
  const isFar = name.length > columns / 2
  const margin = ' '.repeat(isFar ? 6 : name.length || line.length - line.trimStart().length)
  const rows = ['']
  for (const word of body.trim().split(' ')) {
    const row = rows.at(-1)!
    if (row === '') rows[rows.length - 1] = word
    else if (margin.length + row.length + 1 + word.length > columns) rows.push(word)
    else rows[rows.length - 1] = `${row} ${word}`
  }
  const head = isFar ? `${name.trimEnd()}\n${margin}` : name || margin
  return head + rows.join(`\n${margin}`)
}

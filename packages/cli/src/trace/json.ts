import type { TraceReport } from './report/types.js'

/** What every `--json` has in common, then what is the command's own. Bounded by `--top`; whatever is left out is counted. */
export const jsonReport = ({ command, source, settings, latency, repairs }: TraceReport, own: object): string =>
  `${JSON.stringify({ command, source, settings, latency, ...own, repairs }, undefined, 2)}\n`

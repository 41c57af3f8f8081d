// Incidents with known culprits: a ranking is judged on them.
import type { TraceCore } from '@trimtab/trace'
import {
  BASELINES,
  type BaselineName,
  baselineRankings,
  type CriticalPath,
  CulpritWindow,
  type Localisation,
  rankCulprits,
  scoreGuessing,
  scoreRankings,
} from '@trimtab/trace'
import { UsageError } from '../options.js'

export interface Label {
  /** Names the incident; its traces' ids begin with it and a dash. */
  readonly fault: string
  readonly culprit: string
  /** What was done to it, where the table says so. */
  readonly kind: string
}

/**
 * Reads a table with the columns `fault_id` and `root_cause_service`, and `fault_type` if there is one; no quoting.
 * @throws {UsageError} naming the columns that are missing
 */
export function parseLabels(text: string, name: string): Label[] {
  const [head = '', ...lines] = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const columns = head.split(',').map((column) => column.trim())
  const [fault, culprit, kind] = ['fault_id', 'root_cause_service', 'fault_type'].map((column) =>
    columns.indexOf(column),
  )
  if (fault! < 0 || culprit! < 0)
    throw new UsageError(
      `--labels ${name} must begin with a line of column names, fault_id and root_cause_service among them; got ${JSON.stringify(head.slice(0, 80))}`,
    )
  return lines.map((line) => {
    const cells = line.split(',').map((cell) => cell.trim())
    return { fault: cells[fault!] ?? '', culprit: cells[culprit!] ?? '', kind: kind! < 0 ? '' : (cells[kind!] ?? '') }
  })
}

/** Traces by incident: a trace belongs to what its id says before the last dash. */
export class IncidentWindows {
  readonly #windows = new Map<string, { readonly window: CulpritWindow; readonly day: string }>()

  add(path: CriticalPath): void {
    const { traceId, originUnixNs } = path.trace
    const group = traceId.slice(0, Math.max(0, traceId.lastIndexOf('-')))
    let entry = this.#windows.get(group)
    if (!entry) {
      entry = { window: new CulpritWindow(), day: String(originUnixNs / 86_400_000_000_000n) }
      this.#windows.set(group, entry)
    }
    entry.window.add(path)
  }

  get groups(): readonly string[] {
    return [...this.#windows.keys()]
  }

  window(group: string): CulpritWindow | undefined {
    return this.#windows.get(group)?.window
  }

  /** All groups that are no incident: those of the incident's day (UTC) if there are any. */
  reference(group: string, incidents: ReadonlySet<string>): CulpritWindow {
    const healthy = [...this.#windows].filter(([name]) => !incidents.has(name)).map(([, entry]) => entry)
    const sameDay = healthy.filter(({ day }) => day === this.#windows.get(group)?.day)
    const reference = new CulpritWindow()
    for (const { window } of sameDay.length > 0 ? sameDay : healthy) reference.merge(window)
    return reference
  }
}

export interface Incident extends Label {
  readonly traces: number
  /** Of the true culprit; undefined where no trace holds it. */
  readonly rank: number | undefined
  readonly first: string
  readonly reasons: readonly string[]
}

export interface Judgement {
  readonly incidents: readonly Incident[]
  /** By method, ours first. */
  readonly scores: readonly (Localisation & { readonly method: string })[]
}

/**
 * How well the ranking finds the culprits that are known, beside what people do without one.
 * @param baseline  what to compare with; default: the groups that are no incident
 */
export function judge(
  core: TraceCore,
  labels: readonly Label[],
  windows: IncidentWindows,
  baseline?: CulpritWindow | undefined,
): Judgement {
  const faults = new Set(labels.map(({ fault }) => fault))
  const ranked = labels.flatMap((label) => {
    const window = windows.window(label.fault)
    if (!window) return []
    const reference = baseline ?? windows.reference(label.fault, faults)
    const ranking = rankCulprits(core, window, reference)
    const names = ranking.culprits.map(({ service }) => service)
    return [{ label, ranking, names, baselines: baselineRankings(window, reference) }]
  })
  const results = (method: (one: (typeof ranked)[number]) => readonly string[]) =>
    ranked.map((one) => ({ ranking: method(one), culprit: one.label.culprit }))
  return {
    incidents: ranked.map(({ label, ranking, names }) => ({
      ...label,
      traces: ranking.windowTraces,
      rank: names.indexOf(label.culprit) + 1 || undefined,
      first: names[0] ?? '',
      reasons: ranking.culprits[0]?.reasons ?? [],
    })),
    scores: [
      { method: 'trimtab', ...scoreRankings(results(({ names }) => names)) },
      ...(Object.entries(BASELINES) as [BaselineName, string][]).map(([name, method]) => ({
        method,
        ...scoreRankings(results(({ baselines }) => baselines[name])),
      })),
      { method: 'guessing', ...scoreGuessing(results(({ names }) => names)) },
    ],
  }
}

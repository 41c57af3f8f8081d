// Incidents with known culprits: a ranking is judged on them, or weights are fitted to them.
import type { TraceCore } from '@trimtab/trace'
import {
  baselineRankings,
  type CriticalPath,
  type CulpritModel,
  CulpritWindow,
  EVIDENCE,
  fitCulpritModel,
  type Localisation,
  rankCulprits,
  SHIPPED_MODEL,
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
  /** What the weights of the ranking were fitted on: judging them on the same incidents flatters them. */
  readonly weightsFrom: string
  /** By method, ours first. */
  readonly scores: readonly (Localisation & { readonly method: string })[]
}

interface Ranked {
  readonly label: Label
  readonly ranking: ReturnType<typeof rankCulprits>
  readonly window: CulpritWindow
  readonly reference: CulpritWindow
}

/** @param baseline  what to compare with; default: the groups that are no incident */
function rankAll(
  core: TraceCore,
  labels: readonly Label[],
  windows: IncidentWindows,
  { model, baseline }: { readonly model?: CulpritModel | undefined; readonly baseline?: CulpritWindow | undefined },
): Ranked[] {
  const incidents = new Set(labels.map(({ fault }) => fault))
  return labels.flatMap((label) => {
    const window = windows.window(label.fault)
    if (!window) return []
    const reference = baseline ?? windows.reference(label.fault, incidents)
    return [{ label, ranking: rankCulprits(core, window, reference, model ? { model } : {}), window, reference }]
  })
}

/** How well the ranking finds the culprits that are known, beside what people do without one. */
export function judge(...call: Parameters<typeof rankAll>): Judgement {
  const ranked = rankAll(...call)
  const results = (method: (one: Ranked) => readonly string[]) =>
    ranked.map((one) => ({ ranking: method(one), culprit: one.label.culprit }))
  const names = ({ ranking }: Ranked) => ranking.culprits.map(({ service }) => service)
  const baselines = ranked.map(({ window, reference }) => baselineRankings(window, reference))
  const baseline = (kind: keyof (typeof baselines)[number]) =>
    ranked.map(({ label }, i) => ({ ranking: baselines[i]![kind], culprit: label.culprit }))
  return {
    incidents: ranked.map(({ label, ranking }) => {
      const place = ranking.culprits.findIndex(({ service }) => service === label.culprit)
      const first = ranking.culprits[0]
      return {
        ...label,
        traces: ranking.windowTraces,
        rank: place < 0 ? undefined : place + 1,
        first: first?.service ?? '',
        reasons: first?.reasons ?? [],
      }
    }),
    weightsFrom: (call[3].model ?? SHIPPED_MODEL).fittedOn,
    scores: [
      { method: 'trimtab', ...scoreRankings(results(names)) },
      { method: 'largest self time', ...scoreRankings(baseline('selfTime')) },
      { method: 'largest growth of p99', ...scoreRankings(baseline('p99Growth')) },
      { method: 'largest variance', ...scoreRankings(baseline('variance')) },
      { method: 'guessing', ...scoreGuessing(results(names)) },
    ],
  }
}

/** Weights for the kinds of evidence, fitted to the incidents. */
export function fit(fittedOn: string, ...call: Parameters<typeof rankAll>): CulpritModel {
  const [core] = call
  const examples = rankAll(...call).map(({ label, ranking: { culprits } }) => ({
    evidence: Float64Array.from(culprits.flatMap(({ evidence }) => EVIDENCE.map((name) => evidence[name]))),
    culprit: culprits.findIndex(({ service }) => service === label.culprit),
  }))
  return fitCulpritModel(core, examples, { fittedOn })
}

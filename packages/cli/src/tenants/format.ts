import type { ArenaComparison, DefaultChoice, JudgedRule, TenantsPlan } from '@trimtab/studies'
import { type Column, formatTable, type Paint } from '../terminal.js'

/** Whoever acted: its label, and a record for each seed. */
type Judged = Pick<JudgedRule, 'label' | 'records'>
type Figure = keyof JudgedRule['records'][number]

const right = (title: string): Column => ({ title, align: 'right' })
const COLUMNS: readonly Column[] = [
  { title: '', align: 'left' },
  ...['J', 'over the rule', 'reward', 'violations %', 'worst tenant %', 'p99/SLO', 'shares', 'containers'].map(right),
  ...['cold starts/h', 'memory MiB'].map(right),
]

/** A table for each arena: tuned rules, what knowing the load would gain, and the variants. */
export function formatArenas(arenas: readonly ArenaComparison[], plan: TenantsPlan, paint: Paint): string {
  const { seeds, imitationEpisodes } = plan
  const setting = `seeds: ${seeds.length} · imitation: ${imitationEpisodes} episodes · simulation · J = reward − .3 · violations`
  return [paint.dim(setting), '', ...arenas.flatMap((arena) => [formatArena(arena, paint), ''])].join('\n')
}

function formatArena(
  { rules: { name, label, rules }, episodes, headroom, variants, choices }: ArenaComparison,
  paint: Paint,
): string {
  const { best, clairvoyant } = headroom
  const learned = variants.map(({ label, cells }) => ({ label, records: cells.map(({ judged }) => judged) }))
  const ours = choices ? [defaultOf(choices)] : []
  const listed: readonly Judged[] = [...rules.filter(({ knowsLoad }) => !knowsLoad), clairvoyant, ...learned, ...ours]
  const room = `Best rule: ${best.label}. Knowing the load gains ${headroom.headroom.toFixed(3)}. Learning episodes: ${episodes}.`
  const rows = listed.map((one) => rowOf(one, best))
  return [paint.bold(`${name}: ${label}`), room, '', formatTable(COLUMNS, rows, paint)].join('\n')
}

/** What runs where nobody says what should, and how often it is what. */
function defaultOf(choices: readonly DefaultChoice[]): Judged {
  const times = (name: DefaultChoice['chosen']): number => choices.filter(({ chosen }) => chosen === name).length
  const names = [...new Set(choices.map(({ chosen }) => chosen))]
  return {
    label: `default (${names.map((name) => `${name} ${times(name)}`).join(', ')})`,
    records: choices.map(({ judged }) => judged),
  }
}

function rowOf(one: Judged, best: Judged): readonly string[] {
  const of = (figure: Figure, digits: number, factor = 1): string => (factor * meanOf(one, figure)).toFixed(digits)
  const gain = meanOf(one, 'score') - meanOf(best, 'score')
  return [
    one.label,
    `${of('score', 3)} ± ${deviationOf(one).toFixed(3)}`,
    one === best ? '–' : `${gain < 0 ? '−' : '+'}${Math.abs(gain).toFixed(3)}`,
    ...[of('reward', 3), of('violation01', 1, 100), of('worstViolation01', 0, 100), of('p99OverSlo', 2)],
    ...[of('shares', 0), of('containers', 2), of('coldStartsPerHour', 1), of('memoryMiB', 0)],
  ]
}

const NOTABLE = 0.005 // of J: the gate of docs/results/tenants.md

/** Whether the default earns notably less than the best rule; never where nothing was learned that it could be. */
export function earnsLess({ headroom: { best }, choices }: ArenaComparison): boolean {
  return choices !== undefined && meanOf(defaultOf(choices), 'score') < meanOf(best, 'score') - NOTABLE
}

const meanOf = ({ records }: Judged, figure: Figure): number =>
  records.reduce((sum, record) => sum + record[figure], 0) / records.length

/** Of J over seeds. */
function deviationOf(one: Judged): number {
  const mean = meanOf(one, 'score')
  return Math.sqrt(one.records.reduce((sum, { score }) => sum + (score - mean) ** 2, 0) / one.records.length)
}

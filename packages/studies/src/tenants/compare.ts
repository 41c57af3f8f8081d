import { Problems } from '@trimtab/core'
import { SERVERLESS_ARENAS } from '@trimtab/tasks/serverless'
import type { StudyProgress } from '../run-all.js'
import {
  type ArenaHeadroom,
  type ArenaRules,
  type ArenaRulesSpec,
  bestInValidation,
  headroomOf,
} from './arena-rules.js'
import type { TenantsCell, TenantsCellSpec } from './cell.js'
import { chooseDefault, DEFAULT_CANDIDATES, type DefaultChoice } from './choose.js'
import { TENANT_VARIANTS, type TenantVariantName } from './variants.js'

/** Who learns in an arena, and for how many episodes. */
export interface ArenaPlan {
  readonly variants: readonly TenantVariantName[]
  readonly episodes: number
}

/** Which variants are compared with tuned rules, where, and how long they learn. */
export interface TenantsPlan {
  /** By the name of an arena. */
  readonly arenas: Readonly<Record<string, ArenaPlan>>
  /** Of policies, and of the platforms that judge them and the rules. */
  readonly seeds: readonly number[]
  /** On each platform that rules are tuned on. */
  readonly trainEpisodes: number
  readonly judgedEpisodes: number
  readonly imitationEpisodes: number
}

/** Who does the work, here or in workers, and who is told. */
export interface TenantsHooks<Cell extends TenantsCell> {
  /** As `judgeArenaRules`. */
  readonly rules: (spec: ArenaRulesSpec) => Promise<ArenaRules>
  /** As `runTenantsCell`. */
  readonly cell: (spec: TenantsCellSpec) => Promise<Cell>
  /** Called when a part of the work is done. */
  readonly onProgress?: (progress: StudyProgress) => void
  readonly signal?: AbortSignal
}

/** What one variant came to. */
export interface ComparedVariant<Cell extends TenantsCell = TenantsCell> {
  readonly name: TenantVariantName
  readonly label: string
  /** By seed. */
  readonly cells: readonly Cell[]
}

/** What rules and variants came to in one arena. */
export interface ArenaComparison<Cell extends TenantsCell = TenantsCell> {
  readonly rules: ArenaRules
  /** Of learning. */
  readonly episodes: number
  readonly headroom: ArenaHeadroom
  readonly variants: readonly ComparedVariant<Cell>[]
  /** The default, by seed; absent where nothing that it could be was learned. */
  readonly choices?: readonly DefaultChoice[]
}

/**
 * Learns every variant and judges it beside tuned rules, on the same platforms. The rule that a variant imitates or
 * corrects is the one that did best in validation.
 * @throws {ConfigError} `config_invalid` with every name that is unknown; what the work throws; the signal's reason
 */
export async function compareTenants<Cell extends TenantsCell>(
  plan: TenantsPlan,
  { rules: judgeRules, cell: runCell, onProgress, signal }: TenantsHooks<Cell>,
): Promise<ArenaComparison<Cell>[]> {
  check(plan)
  const { seeds, trainEpisodes, judgedEpisodes, imitationEpisodes } = plan
  const arenas = Object.entries(plan.arenas)
  const total = arenas.reduce((sum, [, { variants }]) => sum + 1 + variants.length * seeds.length, 0)
  let done = 0
  const finish = (label: string): void => {
    signal?.throwIfAborted()
    onProgress?.({ done: ++done, total, label })
  }
  return Promise.all(
    arenas.map(async ([arena, { variants, episodes }]) => {
      const rules = await judgeRules({ arena, seeds, trainEpisodes, judgedEpisodes })
      finish(`${arena}: rules`)
      const rule = bestInValidation(rules)
      const { name: family, settings } = rule
      const learn = async (variant: TenantVariantName): Promise<ComparedVariant<Cell>> => {
        const { label } = TENANT_VARIANTS[variant]
        const learning = { rule: { family, settings }, episodes, imitationEpisodes }
        const cells = seeds.map(async (seed) => {
          const cell = await runCell({ arena, variant, seed, ...learning, judgedEpisodes })
          finish(`${arena}: ${label}, seed ${seed}`)
          return cell
        })
        return { name: variant, label, cells: await Promise.all(cells) }
      }
      const learned = await Promise.all(variants.map(learn))
      const candidates = learned.filter(({ name }) => DEFAULT_CANDIDATES.includes(name))
      const choices = seeds.map((_, i) =>
        chooseDefault(
          rule,
          candidates.map(({ cells }) => cells[i]!),
          i,
        ),
      )
      return {
        ...{ rules, episodes, headroom: headroomOf(rules), variants: learned },
        ...(candidates.length > 0 && { choices }),
      }
    }),
  )
}

function check({ arenas, seeds }: TenantsPlan): void {
  const problems = new Problems()
  const known = { arena: SERVERLESS_ARENAS.map(({ name }) => name), variant: Object.keys(TENANT_VARIANTS) }
  const require = (kind: 'arena' | 'variant', name: string): void =>
    problems.check(known[kind].includes(name), `"${name}" is no ${kind}: ${known[kind].join(', ')}`)
  for (const name of Object.keys(arenas)) require('arena', name)
  for (const name of new Set(Object.values(arenas).flatMap(({ variants }) => variants))) require('variant', name)
  problems.check(seeds.length > 0, 'seeds must name at least one')
  problems.throwIfAny('comparison of tenants')
}

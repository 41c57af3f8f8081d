import { ConfigError } from '@trimtab/core'
import { parseQuantity } from '../quantity.js'
import { type ApiResource, resource } from '../resource.js'
import type { Declared, Resolved } from '../schema/declared.js'
import { problemsOf, pruned, withDefaults } from '../schema/structural-schema.js'
import type { KubernetesObject } from '../types.js'
import { CronSchedule } from './cron-schedule.js'
import { SPEC_SCHEMA, type STATUS_SCHEMA } from './schema.js'

/** The spec as its owner writes it. */
export type AutoscalerSpec = Declared<typeof SPEC_SCHEMA>

/** The spec with every default filled in. */
export type ResolvedAutoscalerSpec = Resolved<typeof SPEC_SCHEMA>

/** The status; everything in it may be missing. */
export type AutoscalerStatus = Declared<typeof STATUS_SCHEMA>

/** One autoscaler for replicas and requests of a workload. */
export interface MultidimPodAutoscaler extends KubernetesObject {
  readonly spec: AutoscalerSpec
  readonly status?: AutoscalerStatus
}

/** Where autoscalers live in the API. */
export const MULTIDIM_POD_AUTOSCALERS: ApiResource<MultidimPodAutoscaler> = resource(
  'trimtab.dev/v1alpha1',
  'MultidimPodAutoscaler',
  'multidimpodautoscalers',
)

/** An autoscaler with this annotation decides and changes nothing; its value is the reason, and is shown. */
export const PAUSE_ANNOTATION = 'trimtab.dev/pause'

/**
 * The spec with its defaults. Besides what the API server checks by the schema: what spans two fields, quantities and schedules.
 * @throws {ConfigError} `autoscaler_invalid`, with every problem and its path
 */
export function readAutoscaler({ metadata, spec }: MultidimPodAutoscaler): ResolvedAutoscalerSpec {
  const unknown: string[] = []
  const resolved = withDefaults(SPEC_SCHEMA, pruned(SPEC_SCHEMA, spec, unknown, 'spec'))
  const problems = [
    ...unknown.map((path) => `${path} is no field`),
    ...problemsOf(SPEC_SCHEMA, resolved, 'spec').map(({ field, message }) => `${field}: ${message}`),
  ]
  if (problems.length === 0) problems.push(...boundsProblems(resolved as ResolvedAutoscalerSpec))
  if (problems.length > 0) {
    const name = [metadata?.namespace, metadata?.name].filter(Boolean).join('/')
    throw new ConfigError('autoscaler_invalid', `MultidimPodAutoscaler ${name}: ${problems.join('; ')}`)
  }
  return resolved as ResolvedAutoscalerSpec
}

/** What spans two fields, or is a quantity. */
function boundsProblems({ bounds, limits }: ResolvedAutoscalerSpec): string[] {
  const problems = Object.entries(bounds).flatMap(([name, { min, max }]) => {
    const [low, high] = [numberOf(min), numberOf(max)]
    const at = `spec.bounds.${name}`
    if (low === undefined || low <= 0)
      return [`${at}.min must be a quantity above 0 as 250m or 64Mi, got ${JSON.stringify(min)}`]
    if (high === undefined) return [`${at}.max must be a quantity as 2 or 4Gi, got ${JSON.stringify(max)}`]
    return low > high ? [`${at}.min (${min}) must not be above max (${max})`] : []
  })
  const shares = limits.disruptions.flatMap(({ maxUnavailable }, index) => {
    const isShare =
      typeof maxUnavailable === 'number' ? maxUnavailable >= 0 : /^(\d|[1-9]\d|100)%$/.test(maxUnavailable)
    const at = `spec.limits.disruptions[${index}].maxUnavailable`
    return isShare ? [] : [`${at} must be a number of pods or a share as 25%, got ${JSON.stringify(maxUnavailable)}`]
  })
  const schedules = limits.disruptions.flatMap(({ schedule }, index) => {
    const problem = schedule === undefined ? undefined : scheduleProblem(schedule)
    return problem === undefined ? [] : [`spec.limits.disruptions[${index}].schedule: ${problem}`]
  })
  return [...problems, ...shares, ...schedules]
}

function scheduleProblem(line: string): string | undefined {
  try {
    new CronSchedule(line)
    return undefined
  } catch (error) {
    return (error as ConfigError).message
  }
}

function numberOf(quantity: number | string): number | undefined {
  try {
    return parseQuantity(quantity)
  } catch {
    return undefined // said by whoever asks, with its path
  }
}

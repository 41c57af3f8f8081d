import type { Core } from '@trimtab/core'
import type { ResizeMode } from '../simulator.js'
import { ForecastRule, type ForecastSettings } from './forecast-rule.js'
import { HpaHeadroomRule, type HpaHeadroomSettings } from './hpa-headroom-rule.js'
import { HpaVpaRule, type HpaVpaSettings } from './hpa-vpa-rule.js'
import { ResizeRule, type ResizeSettings } from './resize-rule.js'
import type { Rule, RuleCluster } from './rule.js'
import { TargetBandit, type TargetBanditSettings } from './target-bandit.js'

/** One kind of rule with the settings that an operator would try. */
export interface RuleFamily<Settings = unknown> {
  readonly name: string
  readonly label: string
  /** The grid that `tuneRule` searches. */
  readonly settings: readonly Settings[]
  /** It lives of changing the size of pods: of no use where they keep their first one. */
  readonly needsResize: boolean
  /** The rule as set. */
  create(core: Core, cluster: RuleCluster, settings: Settings): Rule
}

/** Every combination of the values given by name. */
function gridOf<Settings extends object>(
  values: { readonly [K in keyof Settings]: readonly Settings[K][] },
): Settings[] {
  let grid: Partial<Settings>[] = [{}]
  for (const name of Object.keys(values) as (keyof Settings)[]) {
    grid = grid.flatMap((settings) => values[name].map((value) => ({ ...settings, [name]: value })))
  }
  return grid as Settings[]
}

const HPA_VPA: RuleFamily<HpaVpaSettings> = {
  name: 'hpa-vpa',
  label: 'HPA+VPA',
  needsResize: false,
  settings: gridOf({ podCores: [0.5, 1, 1.5, 2, 3, 4], targetPercent: [10, 15, 20, 30, 40, 50, 60, 70, 80] }),
  create: (core, cluster, settings) => new HpaVpaRule(core, cluster, settings),
}

const HPA_HEADROOM: RuleFamily<HpaHeadroomSettings> = {
  name: 'hpa-headroom',
  label: 'HPA, memory by headroom',
  needsResize: false,
  settings: gridOf({
    podCores: [0.5, 1, 1.5, 2, 3, 4],
    targetPercent: [10, 20, 30, 40, 50, 60, 70, 80],
    headroom: [1.25, 1.6],
  }),
  create: (_core, cluster, settings) => new HpaHeadroomRule(cluster, settings),
}

const RESIZE: RuleFamily<ResizeSettings> = {
  name: 'resize',
  label: 'resize rule',
  needsResize: true,
  settings: gridOf({
    targetPercent: [20, 30, 40, 50, 65, 80],
    windowSteps: [2, 6],
    leastCores: [0.5, 0.75, 1, 1.5, 2, 3],
  }).flatMap((cores) => [
    { ...cores, hysteresis01: 0.1, headroom: 1.4 },
    { ...cores, hysteresis01: 0.4, headroom: 2 },
  ]),
  create: (_core, cluster, settings) => new ResizeRule(cluster, settings),
}

const FORECAST: RuleFamily<ForecastSettings> = {
  name: 'forecast',
  label: 'HPA on a forecast',
  needsResize: false,
  settings: gridOf({
    podCores: [1, 1.5, 2, 3, 4],
    targetPercent: [15, 25, 35, 45, 55, 65, 80],
    leadSeconds: [60, 240],
    headroom: [1.4],
  }),
  create: (_core, cluster, settings) => new ForecastRule(cluster, settings),
}

const BANDIT: RuleFamily<TargetBanditSettings> = {
  name: 'bandit',
  label: 'HPA, target by a bandit',
  needsResize: false,
  settings: gridOf({
    podCores: [0.5, 1, 2, 3, 4],
    targetsPercent: [[15, 25, 35, 50, 65, 80]],
    holdSeconds: [3600, 7200],
    penalty: [25, 100, 400, 1600],
    headroom: [1.4],
    seed: [1],
  }),
  create: (core, cluster, settings) => new TargetBandit(core, cluster, settings),
}

/** All kinds of rules, the plainest first. */
export const RULE_FAMILIES: readonly RuleFamily[] = [HPA_VPA, HPA_HEADROOM, RESIZE, FORECAST, BANDIT]

/** Those that have something to do on a cluster. */
export const ruleFamilies = (resize: ResizeMode): readonly RuleFamily[] =>
  RULE_FAMILIES.filter(({ needsResize }) => !(needsResize && resize === 'none'))

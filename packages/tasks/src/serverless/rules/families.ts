import type { TenantRule } from '../telemetry.js'
import { DemandRule, type DemandSettings } from './demand-rule.js'
import { EnsureRule, type EnsureSettings } from './ensure-rule.js'
import { type DemandAhead, ForesightRule } from './foresight-rule.js'
import { HistogramRule, type HistogramSettings } from './histogram-rule.js'
import { HpaRule, type HpaSettings } from './hpa-rule.js'
import { KnativeRule, type KnativeSettings } from './knative-rule.js'
import type { SettingRange, SettingRanges } from './settings-search.js'

/** Where a rule is to act: what it may be told beside its telemetry. */
export interface RuleSite {
  /** SLO over isolated p99. */
  readonly sloFactor: number
  /** For those that know the future. */
  readonly demandAhead: DemandAhead
}

/** One kind of rule with the settings that an operator would try. */
export interface TenantRuleFamily<Settings extends object = object> {
  readonly name: string
  readonly label: string
  /** What `searchSettings` searches. */
  readonly ranges: SettingRanges<Settings>
  /** It sizes by `demandContainers` alone: it can be shown those to come. */
  readonly sizesByDemand: boolean
  /** The rule as set, for one tenant. */
  create(settings: Settings, site: RuleSite): TenantRule
}

const MARGIN: SettingRange = { low: 0, high: 4 }
const SHARES: SettingRange = { low: 128, high: 2048, isLogarithmic: true, isWhole: true }
const WINDOW: SettingRange = { low: 1, high: 30, isLogarithmic: true, isWhole: true }
const KEEP_ALIVE: SettingRange = { low: 1, high: 3600, isLogarithmic: true }

const DEMAND: TenantRuleFamily<DemandSettings> = {
  name: 'demand',
  label: 'R + c√R of the largest demand',
  ranges: { margin: MARGIN, windowSteps: WINDOW, shares: SHARES, keepAliveSeconds: KEEP_ALIVE },
  sizesByDemand: true,
  create: (settings) => new DemandRule(settings),
}

const ENSURE: TenantRuleFamily<EnsureSettings> = {
  name: 'ensure',
  label: 'ENSURE',
  ranges: {
    margin: MARGIN,
    degradation01: { low: 0.02, high: 0.6 },
    sharesStep: { low: 16, high: 1024, isLogarithmic: true, isWhole: true },
    keepAliveSeconds: KEEP_ALIVE,
  },
  sizesByDemand: true,
  create: (settings, { sloFactor }) => new EnsureRule(settings, sloFactor),
}

const HPA: TenantRuleFamily<HpaSettings> = {
  name: 'hpa',
  label: 'HPA',
  ranges: {
    targetUtilisation01: { low: 0.05, high: 2, isLogarithmic: true },
    stabilizationSteps: WINDOW,
    shares: SHARES,
  },
  sizesByDemand: false,
  create: (settings) => new HpaRule(settings),
}

const KNATIVE: TenantRuleFamily<KnativeSettings> = {
  name: 'knative',
  label: 'Knative',
  ranges: {
    targetConcurrency: { low: 0.1, high: 1, isLogarithmic: true },
    stableSteps: WINDOW,
    panicSteps: { low: 1, high: 6, isWhole: true },
    panicThreshold: { low: 1.2, high: 10, isLogarithmic: true },
    shares: SHARES,
  },
  sizesByDemand: false,
  create: (settings) => new KnativeRule(settings),
}

const HISTOGRAM: TenantRuleFamily<HistogramSettings> = {
  name: 'histogram',
  label: 'hybrid histogram',
  ranges: {
    ...{ margin: MARGIN, windowSteps: WINDOW, shares: SHARES },
    head01: { low: 0, high: 0.3 },
    tail01: { low: 0.5, high: 1 },
    standardKeepAliveSeconds: { low: 10, high: 14_400, isLogarithmic: true },
  },
  sizesByDemand: false,
  create: (settings) => new HistogramRule(settings),
}

/** Every rule that may be used; the first is the default. */
export const TENANT_RULE_FAMILIES: readonly TenantRuleFamily[] = [DEMAND, ENSURE, HPA, KNATIVE, HISTOGRAM]

/** How far a rule with foresight sees. */
export interface ForesightSettings {
  readonly foresightSteps: number
}

/** The same rule, shown the true demand to come; how far it looks is one setting more. */
export function withForesight<Settings extends object>(
  family: TenantRuleFamily<Settings>,
): TenantRuleFamily<Settings & ForesightSettings> {
  return {
    ...family,
    name: `${family.name}-foresight`,
    label: `${family.label}, load known`,
    ranges: { ...family.ranges, foresightSteps: WINDOW },
    create: (settings, site) =>
      new ForesightRule(family.create(settings, site), settings.foresightSteps, site.demandAhead),
  }
}

// A report with the shape and the size of a real one and invented numbers, for tests of what shows reports.
import type {
  AutoscalerResult,
  AutoscalerSummary,
  AutoscalingReport,
  ExplainedDecision,
  LearningDays,
  Spread,
  Timeline,
} from '@trimtab/studies'

interface Character {
  readonly name: string
  readonly label: string
  readonly kind: AutoscalerSummary['kind']
  readonly relativeCost: number
  readonly violationPercent: number
  /** How much of the load's swing it follows, 0 to 1. */
  readonly follows: number
}

const CHARACTERS: readonly Character[] = [
  { name: 'hpa-vpa', label: 'HPA+VPA', kind: 'rule', relativeCost: 1.19, violationPercent: 0.1, follows: 0.7 },
  {
    name: 'hpa-headroom',
    label: 'HPA, memory by headroom',
    kind: 'rule',
    relativeCost: 1.22,
    violationPercent: 0.15,
    follows: 0.7,
  },
  { name: 'resize', label: 'resize rule', kind: 'rule', relativeCost: 1, violationPercent: 0.08, follows: 0.9 },
  { name: 'trimtab', label: 'Trimtab', kind: 'learner', relativeCost: 0.893, violationPercent: 0.11, follows: 1 },
  {
    name: 'margin',
    label: 'its learner alone',
    kind: 'learner',
    relativeCost: 0.857,
    violationPercent: 0.12,
    follows: 1,
  },
  { name: 'static', label: 'best static', kind: 'bound', relativeCost: 1.6, violationPercent: 0.4, follows: 0 },
  { name: 'oracle', label: 'oracle', kind: 'bound', relativeCost: 0.74, violationPercent: 0.3, follows: 1 },
]

const BUCKETS = 288
const DAYS = 10
const APPS = ['json → db read', 'image resize', 'compress → S3 write', 'float', 'stream → file write']
const SEEDS = [1, 2, 3]
const DOLLARS = 0.2

/** The same small disturbance for the same place, in [−1, 1]. */
const wobble = (a: number, b: number): number => {
  const x = Math.sin(a * 12.9898 + b * 78.233) * 43758.5453
  return (x - Math.floor(x)) * 2 - 1
}
const spread = (mean: number, relative = 0.02): Spread => ({ mean, deviation: Math.abs(mean) * relative })

const figuresOf = ({ relativeCost, violationPercent }: Character): Omit<AutoscalerResult, 'app' | 'controller'> => ({
  dollarsPerHour: DOLLARS * relativeCost,
  relativeCost,
  violationPercent,
  learningViolationPercent: 1.2 * violationPercent,
  worstHourPercent: 30 * violationPercent,
  cores: 5.5 * relativeCost,
  memoryGiB: 3 * relativeCost,
  reward: 160 + 8 / relativeCost,
})

function summaryOf(character: Character): AutoscalerSummary {
  const { name, label, kind } = character
  const spreads = Object.entries(figuresOf(character)).map(([figure, value]) => [figure, spread(value)])
  return { name, label, kind, strongestIn: name === 'resize' ? APPS.length : 0, ...Object.fromEntries(spreads) }
}

function timelineOf(app: string, index: number, character: Character, order: number): Timeline {
  const steps = (read: (step: number) => number): number[] => Array.from({ length: BUCKETS }, (_, step) => read(step))
  const load = steps((t) => 60 + 45 * Math.sin(t / 38 + index) + 12 * Math.sin(t / 7) + 5 * wobble(t, index))
  const { relativeCost, follows } = character
  const size = load.map((rate) => relativeCost * (1 + follows * (rate / 60 - 1)) + 0.2)
  return {
    app,
    controller: character.name,
    stepSeconds: 300,
    requestsPerSecond: load,
    p99OverSlo: steps((t) => 0.7 + 0.35 * wobble(t, order)),
    dollarsPerHour: size.map((one) => DOLLARS * one),
    cores: size.map((one) => 5.5 * one),
    memoryGiB: size.map((one) => 3 * one),
    replicas: size.map((one) => Math.ceil(4 * one)),
  }
}

const daysOf = (app: string, character: Character, order: number): LearningDays => ({
  app,
  controller: character.name,
  violationPercent: Array.from({ length: DAYS }, (_, day) => Math.abs(0.3 * wobble(day, order))),
  dollarsPerHour: Array.from({ length: DAYS }, (_, day) => DOLLARS * (1 + 0.1 * wobble(day, order))),
})

const decisionOf = (app: string, i: number): ExplainedDecision => ({
  app,
  minute: 180 * (i + 1),
  replicas: 3,
  coresPerReplica: 1.5,
  memoryMiBPerReplica: 384.5,
  expectedRate: 61.2,
  providedRate: 74.8,
  requestsPerSecond: 63.3,
  predicted: 0.71,
  interval: [0.52, 0.97],
  truth: 0.74,
  ...(i > 0 && { cheaper: { coresPerReplica: 1.336, breach01: 0.043 } }),
})

/** Replace any part of it to test a corner. */
export function createSampleReport(overrides: Partial<AutoscalingReport> = {}): AutoscalingReport {
  return {
    format: 'trimtab-autoscale-report',
    version: 2,
    settings: {
      load: 'generated',
      apps: APPS,
      seeds: SEEDS,
      days: 14,
      learnedShare: 0.7,
      stepSeconds: 15,
      sloFactor: 2,
      budgetPercent: 0.5,
      resize: 'in-place',
      prices: { perCore: 0.0335, perGiB: 0.0045 },
      world: 'simulation',
    },
    controllers: CHARACTERS.map(summaryOf),
    worlds: APPS.map((app) => ({ app, strongest: 'resize', shadow: 'resize', isWithinSeen: true })),
    results: APPS.flatMap((app) =>
      CHARACTERS.map((character) => ({ app, controller: character.name, ...figuresOf(character) })),
    ),
    timelines: APPS.flatMap((app, i) => CHARACTERS.map((character, j) => timelineOf(app, i, character, j))),
    days: APPS.flatMap((app) => CHARACTERS.slice(0, 5).map((character, j) => daysOf(app, character, j))),
    decisions: APPS.flatMap((app) => [0, 1, 2, 3].map((i) => decisionOf(app, i))),
    guard: APPS.flatMap((app) =>
      (['learning', 'judged'] as const).map((part) => ({
        app,
        part,
        served: { allocator: 91, clamped: 8, rule: 1 },
        reasons: { floor: 6, recovering: 2, debt: 1 },
      })),
    ),
    verdict: { isFor: true, text: 'Trimtab may replace the strongest rule on this load: 0.893 of its cost.' },
    findings: [
      'The strongest rule on the learning part is resize rule: 16 % less than tuned HPA+VPA.',
      'Trimtab costs 11 % less than the strongest rule, less on 5 of 5 applications.',
      'Headroom: knowing the load to come and the law would save 26 %; Trimtab reaches 41 % of that.',
    ],
    ...overrides,
  }
}

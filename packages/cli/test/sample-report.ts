// A report with the shape and the size of a real one and invented numbers, for tests of what shows reports.
import type { AutoscalerSummary, AutoscalingReport, LearningCurve, Spread, Timeline } from '@trimtab/studies'

interface Character {
  readonly name: string
  readonly label: string
  readonly kind: AutoscalerSummary['kind']
  readonly reward: number
  readonly violationPercent: number
  readonly cores: number
  /** How much of the load's swing the replicas follow, 0 to 1. */
  readonly follows: number
}

const CHARACTERS: readonly Character[] = [
  {
    name: 'hpa-vpa',
    label: 'HPA+VPA (tuned)',
    kind: 'rule',
    reward: 167.7,
    violationPercent: 0.34,
    cores: 4.2,
    follows: 0.7,
  },
  { name: 'aimd', label: 'AIMD', kind: 'rule', reward: 158.2, violationPercent: 3.1, cores: 5.1, follows: 0.5 },
  {
    name: 'ddpg-paper',
    label: 'DDPG (as printed)',
    kind: 'learner',
    reward: 154,
    violationPercent: 3.7,
    cores: 20.5,
    follows: 0.1,
  },
  { name: 'trimtab', label: 'Trimtab', kind: 'learner', reward: 172.3, violationPercent: 0.22, cores: 3.9, follows: 1 },
  { name: 'static', label: 'best static', kind: 'bound', reward: 166.8, violationPercent: 4.9, cores: 8.4, follows: 0 },
  {
    name: 'constant',
    label: 'best constant action',
    kind: 'bound',
    reward: 171.6,
    violationPercent: 0.61,
    cores: 3.7,
    follows: 1,
  },
  { name: 'oracle', label: 'oracle', kind: 'bound', reward: 174.7, violationPercent: 0.48, cores: 2.5, follows: 1 },
]

const STEPS = 240
const EPISODES = 200
const APPS = ['json → db read', 'image resize', 'compress → S3 write', 'float', 'stream → file write']
const SEEDS = [1, 2, 3]

/** The same small disturbance for the same place, in [−1, 1]. */
const wobble = (a: number, b: number): number => {
  const x = Math.sin(a * 12.9898 + b * 78.233) * 43758.5453
  return (x - Math.floor(x)) * 2 - 1
}
const spread = (mean: number, relative = 0.02): Spread => ({ mean, deviation: Math.abs(mean) * relative })
const steps = (read: (step: number) => number): number[] => Array.from({ length: STEPS }, (_, step) => read(step))

function summaryOf(character: Character): AutoscalerSummary {
  const { name, label, kind, reward, violationPercent, cores } = character
  return {
    name,
    label,
    kind,
    reward: spread(reward, 0.006),
    violationPercent: spread(violationPercent, 0.3),
    measuredViolationPercent: spread(violationPercent * 2.4, 0.3),
    p99OverSlo: spread(0.62),
    cpuUtilisation01: spread(Math.min(0.45, 1.05 / cores), 0.05),
    memoryUtilisation01: spread(kind === 'rule' ? 0.69 : 0.81),
    requestedCores: spread(cores, 0.06),
    ...(kind !== 'bound' && {
      learningViolationPercent: spread({ 'ddpg-paper': 9.3, trimtab: 0.29 }[name] ?? violationPercent, 0.2),
    }),
    ...(kind === 'learner' && { ruleEpisodes: spread(name === 'trimtab' ? 24 : 0) }),
  }
}

function timelineOf(app: string, index: number, character: Character, order: number): Timeline {
  const load = steps((t) => 60 + 45 * Math.sin(t / 38 + index) + 12 * Math.sin(t / 7) + 5 * wobble(t, index))
  const coresPerReplica = index % 2 ? 1 : 0.5
  const replicas = load.map((rate) => {
    const wanted = (character.cores * (1 + character.follows * (rate / 60 - 1))) / coresPerReplica
    return Math.max(1, Math.round(wanted))
  })
  const busy = load.map((rate, t) => Math.min(1, (rate * 0.017) / (replicas[t]! * coresPerReplica)))
  const sloMs = 120 + 40 * index
  return {
    app,
    controller: character.name,
    stepSeconds: 15,
    sloMs,
    requestsPerSecond: load,
    p99Ms: busy.map((share, t) => ((sloMs * 0.42) / Math.max(0.02, 1 - share)) * (1 + 0.08 * wobble(t, order))),
    replicas,
    coresPerReplica: steps(() => coresPerReplica),
    memoryMiBPerReplica: steps(() => 384),
    requestedCores: replicas.map((count) => count * coresPerReplica),
    cpuUtilisation01: busy,
    memoryUtilisation01: steps((t) => (character.kind === 'rule' ? 0.69 : 0.81) + 0.04 * wobble(t, order + 9)),
  }
}

function curveOf(app: string, seed: number, character: Character): LearningCurve {
  const isSafe = character.name === 'trimtab'
  const start = isSafe ? 167 : 120
  const episodes = Array.from({ length: EPISODES }, (_, i) => i)
  const progress = (i: number) => 1 - Math.exp(-i / (isSafe ? 60 : 40))
  return {
    app,
    seed,
    controller: character.name,
    reward: episodes.map((i) => start + (character.reward - start) * progress(i) + 3 * wobble(i, seed)),
    violationPercent: episodes.map((i) =>
      isSafe ? (wobble(i, seed) > 0.7 ? 1 : 0) : Math.round(40 * Math.exp(-i / 25) + 4 + 4 * wobble(i, seed)),
    ),
    stage: episodes.map((i) =>
      !isSafe ? 'online' : i < 8 * seed ? 'offline' : i < 120 + 10 * seed ? 'online' : 'serving',
    ),
    ...(isSafe && { envelope: episodes.map((i) => 0.05 + 0.4 * progress(i)) }),
  }
}

/** Replace any part of it to test a corner. */
export function createSampleReport(overrides: Partial<AutoscalingReport> = {}): AutoscalingReport {
  return {
    format: 'trimtab-autoscale-report',
    version: 1,
    settings: {
      load: 'generated',
      apps: APPS,
      seeds: SEEDS,
      episodes: EPISODES,
      stepsPerEpisode: 100,
      stepSeconds: 15,
      sloFactor: 2,
      world: 'simulation',
    },
    controllers: CHARACTERS.map(summaryOf),
    results: APPS.flatMap((app, i) =>
      CHARACTERS.map((character, j) => ({
        app,
        controller: character.name,
        reward: character.reward + 2 * wobble(i, j),
        violationPercent: Math.max(0, character.violationPercent * (1 + 0.6 * wobble(j, i))),
      })),
    ),
    timelines: APPS.flatMap((app, i) => CHARACTERS.map((character, j) => timelineOf(app, i, character, j))),
    curves: CHARACTERS.filter(({ kind }) => kind === 'learner').flatMap((character) =>
      APPS.flatMap((app) => SEEDS.map((seed) => curveOf(app, seed, character))),
    ),
    findings: [
      'Trimtab earns 4.6 more reward than the tuned HPA+VPA (172.3 against 167.7 of 200), on 5 of 5 applications.',
      'It violates the SLO in 0.22 % of steps, HPA+VPA in 0.34 %.',
      'While learning it violated the SLO in 0.29 % of steps; DDPG as printed in 9.3 %.',
    ],
    ...overrides,
  }
}

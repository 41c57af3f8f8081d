// Invented numbers in the shape of a live run, until the comparison exports its own.
import type { ComparisonReport, Spread } from 'trimtab/report'
import type { LiveEvent, LiveOptions } from './protocol.js'

const controllers = [
  { name: 'hpa-vpa', label: 'HPA+VPA (tuned)', kind: 'rule' },
  { name: 'ddpg-scratch', label: 'DDPG from scratch', kind: 'learner' },
  { name: 'trimtab', label: 'Trimtab', kind: 'learner' },
] as const
const spread = (mean: number): Spread => ({ mean, deviation: 0 })

export async function simulateLive(options: LiveOptions): Promise<Generator<LiveEvent, void>> {
  return (function* () {
    const sloMs = 120
    yield { type: 'start', controllers, sloMs, episodes: options.episodes, stepsPerEpisode: 100, stepSeconds: 15 }
    for (let episode = 0; episode < options.episodes; episode++) {
      for (let step = 0; step < 100; step++) {
        const load = 3 + 2 * Math.sin((episode * 37 + step) / 30)
        const cores = [load * 1.6, load * (1 + Math.random()), load * (1.6 - 0.5 * (episode / options.episodes))]
        for (let i = 0; i < 3e5; i++) Math.sqrt(i)
        yield {
          type: 'step',
          episode,
          step,
          p99Ms: cores.map((c) => ((sloMs * 0.4) / Math.max(0.05, 1 - load / c)) * (0.9 + 0.2 * Math.random())),
          replicas: cores.map((c) => Math.ceil(c)),
          requestedCores: cores.map((c) => Math.ceil(c * 2) / 2),
        }
      }
      yield {
        type: 'episode',
        episode,
        reward: [167 + Math.random(), 172 - 40 * Math.exp(-episode / 20), 172 - 5 * Math.exp(-episode / 30)],
        violationPercent: [0.3, 4, 0.3],
        stage: episode < 10 ? 'offline' : episode < 70 ? 'online' : 'serving',
      }
    }
    const report: ComparisonReport = {
      format: 'trimtab-autoscale-report',
      version: 1,
      settings: {
        load: 'generated',
        apps: ['app-1'],
        seeds: [1],
        episodes: options.episodes,
        stepsPerEpisode: 100,
        stepSeconds: 15,
        sloFactor: 2,
        world: 'simulation',
      },
      controllers: controllers.map((one) => ({
        ...one,
        reward: spread(170),
        violationPercent: spread(0.3),
        measuredViolationPercent: spread(1),
        p99OverSlo: spread(0.6),
        cpuUtilisation01: spread(0.3),
        memoryUtilisation01: spread(0.8),
        requestedCores: spread(4),
      })),
      results: [],
      timelines: [],
      curves: [],
      findings: ['A finding.'],
    }
    yield { type: 'done', report }
  })()
}

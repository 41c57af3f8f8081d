// Traces made on the spot, by the simulator of microservices: a healthy time, then one with something broken.

import { type Anomaly, createPreset, MicroserviceSimulator, type PresetName } from 'trimtab/tasks/microservices'
import type { Trace, TraceCore } from 'trimtab/trace'
import type { Question } from './protocol.js'

export interface Sample {
  readonly name: string
  readonly label: string
  readonly application: PresetName
  readonly anomalies: readonly Pick<Anomaly, 'kind' | 'target' | 'intensity'>[]
}

const HEALTHY_SECONDS = 15
const BROKEN_SECONDS = 15

export const SAMPLES: readonly Sample[] = [
  {
    name: 'hotel-cpu',
    label: 'hotel reservation: a neighbour takes the CPU of one service',
    application: 'hotel-reservation',
    anomalies: [{ kind: 'cpu', target: { service: 'rate' }, intensity: 0.8 }],
  },
  {
    name: 'social-delay',
    label: 'social network: a slow network at one service',
    application: 'social-network',
    anomalies: [{ kind: 'network-delay', target: { service: 'post-storage' }, intensity: 0.8 }],
  },
  {
    name: 'train-two',
    label: 'train tickets: two things at once',
    application: 'train-ticket',
    anomalies: [
      { kind: 'cpu', target: { service: 'seat' }, intensity: 0.8 },
      { kind: 'disk-io', target: { service: 'mysql-order' }, intensity: 0.85 },
    ],
  },
]

/** What the page opens with, and the form as it is then. */
export const OPENING: Question = {
  source: { type: 'sample', name: SAMPLES[0]!.name },
  mode: 'blocking',
  overlapTolerance: 0,
}
/** How many times as fast the form first makes a service. */
export const OPENING_SPEED_UP = 2

/** The requests of a sample: of the time when all was well, and of the time after. */
export function simulateSample(
  core: TraceCore,
  { application, anomalies }: Sample,
): { usual: Trace[]; broken: Trace[] } {
  const campaign = {
    name: 'sample',
    anomalies: anomalies.map((anomaly) => ({
      ...anomaly,
      startSeconds: HEALTHY_SECONDS,
      durationSeconds: BROKEN_SECONDS,
    })),
  }
  const simulator = new MicroserviceSimulator(core, createPreset(core, application), { campaign, seed: 7 })
  const usual: Trace[] = []
  const broken: Trace[] = []
  simulator.run(HEALTHY_SECONDS, (trace) => usual.push(trace))
  simulator.run(HEALTHY_SECONDS + BROKEN_SECONDS, (trace) => broken.push(trace))
  simulator.dispose()
  return { usual, broken }
}

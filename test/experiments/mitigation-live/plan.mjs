// What goes wrong in a block: one anomaly of each kind after the other, on services that have something to lose by it.
import { Random } from '@trimtab/core'
import { ANOMALY_KINDS } from '@trimtab/tasks/microservices'

export const KINDS = ANOMALY_KINDS

/**
 * Not the front door, whose own queue no trace shows, and nobody for whom no request waits. Delays of the network add up: one alone
 * is 25 ms, five are more than an SLO.
 */
const VICTIMS = {
  workload: { services: ['price', 'recommendations', 'payment', 'stock'], intensity: 1 },
  'network-delay': { services: ['catalogue', 'payment', 'stock', 'price', 'checkout'], intensity: 1, times: 5 },
  cpu: { services: ['recommendations', 'payment', 'checkout', 'catalogue', 'stock', 'price'], intensity: 0.75 },
  llc: { services: ['cache', 'recommendations'], intensity: 1 },
  'memory-bandwidth': { services: ['cache', 'recommendations'], intensity: 1 },
  'disk-io': { services: ['ledger'], intensity: 1 },
  'network-bandwidth': { services: ['catalogue', 'cache', 'recommendations'], intensity: 1 },
}

const STREAM = 41

/** @returns the campaign, and what is struck when: `{ kind, service, startSeconds, durationSeconds, gapSeconds }` each */
export function drawPlan(core, { seed, kinds, durationSeconds, gapSeconds, leadSeconds }) {
  const random = new Random(core, seed, STREAM)
  const left = [...kinds]
  const struck = kinds.map((_, i) => {
    const [kind] = left.splice(random.integer(left.length), 1)
    const { services } = VICTIMS[kind]
    const startSeconds = leadSeconds + i * (durationSeconds + gapSeconds)
    return { kind, service: services[random.integer(services.length)], startSeconds, durationSeconds, gapSeconds }
  })
  random.dispose()
  const anomalies = struck.flatMap(({ kind, service, startSeconds }) => {
    const { intensity, times = 1 } = VICTIMS[kind]
    return Array.from({ length: times }, () => ({
      kind,
      target: { service },
      startSeconds,
      durationSeconds,
      intensity,
    }))
  })
  const seconds = leadSeconds + kinds.length * (durationSeconds + gapSeconds)
  return { seconds, struck, campaign: { name: `shop, block ${seed}`, anomalies } }
}

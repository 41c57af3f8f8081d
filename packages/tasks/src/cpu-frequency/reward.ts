/** How SmartOverclock is paid (5.6.2, A.4). */
export interface FrequencyReward {
  /** α: weight of the gain in instructions per second; the SLO has 1 − α. Not printed. */
  readonly gainWeight: number
  /** What the gain is measured against: the second before where the frequency rose, or nominal frequency. */
  readonly gainOver: 'before' | 'nominal'
  /** η: price of power above nominal, relative. */
  readonly powerWeight: number
}

/**
 * `smartoverclock-literal` is what the paper prints. Nothing in it costs, so turbo is best for every application, but for
 * going down and up again: falls are free and each rise is paid anew. `smartoverclock-power` pays the gain as long as it
 * lasts, whichever way the frequency went, and charges power.
 */
export const FREQUENCY_REWARDS: {
  readonly 'smartoverclock-literal': FrequencyReward
  readonly 'smartoverclock-power': FrequencyReward
} = {
  'smartoverclock-literal': { gainWeight: 0.5, gainOver: 'before', powerWeight: 0 },
  'smartoverclock-power': { gainWeight: 0.88, gainOver: 'nominal', powerWeight: 0.34 },
}

/** A reward of the frequency task. */
export type FrequencyRewardName = keyof typeof FREQUENCY_REWARDS

/** One second as the reward sees it. */
export interface FrequencyOutcome {
  /** Instructions per second, and what they were a second ago and would be at nominal frequency. */
  readonly ips: number
  readonly ipsBefore: number
  readonly ipsAtNominal: number
  readonly frequencyChange: number
  /** SLO preservation, 0 … 1. */
  readonly preservation: number
  /** Power over power at nominal frequency. */
  readonly relativePower: number
}

/**
 *     literal   α · ((IPS − IPS before) / IPS) where the frequency rose + (1 − α) · SP
 *     power     α · (IPS − IPS at nominal) / IPS + (1 − α) · SP − η · (P / P at nominal − 1)
 */
export function frequencyReward(reward: FrequencyReward, outcome: FrequencyOutcome): number {
  const { gainWeight, gainOver, powerWeight } = reward
  const { ips, ipsBefore, ipsAtNominal, frequencyChange, preservation, relativePower } = outcome
  const base = gainOver === 'nominal' ? ipsAtNominal : frequencyChange > 0 ? ipsBefore : ips
  return (gainWeight * (ips - base)) / ips + (1 - gainWeight) * preservation - powerWeight * (relativePower - 1)
}

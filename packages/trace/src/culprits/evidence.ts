import type { Comparison } from './compare.js'
import type { Standing } from './noise.js'
import type { Pool } from './pool.js'

/**
 * What can speak against a service:
 *
 * - `work`: its own work takes longer;
 * - `waysTo`: so do the ways to it: network, what queues in front of it, a starved process;
 * - `waysFrom`: so do its ways to others, to two of them at least: one alone speaks against the callee;
 * - `behaviour`: it calls others than before, callers stop after calling it or call it again, it fails. See `Mark`.
 */
export const EVIDENCE = ['work', 'waysTo', 'waysFrom', 'behaviour'] as const
/** One kind of evidence. */
export type EvidenceName = (typeof EVIDENCE)[number]

/** By how many times its noise each kind of evidence against a service stands out. */
export function evidenceOf(
  { owners }: Pool,
  { samples }: Comparison,
  { growth, behaviour }: Standing,
  service: number,
): Record<EvidenceName, number> {
  let work = 0
  let waysTo = 0
  let samplesTo = 0
  const waysFrom = [0, 0]
  for (const [number, { serviceNumber, calleeNumber }] of owners.entries()) {
    if (calleeNumber === service) {
      waysTo += samples[number]! * growth[number]!
      samplesTo += samples[number]!
    }
    if (serviceNumber !== service) continue
    if (calleeNumber < 0) work = growth[number]!
    else waysFrom.push(growth[number]!)
  }
  const [, second = 0] = waysFrom.sort((a, b) => b - a)
  return { work, waysTo: waysTo / Math.max(1, samplesTo), waysFrom: second, behaviour: behaviour[service]! }
}

import { type Comparison, EVIDENCE, EVIDENCE_COUNT, type EvidenceName } from './evidence.js'
import type { CulpritContext } from './window.js'

/** Below this, evidence is no more than the noise of a healthy system: not worth a sentence. */
const WORTH_SAYING = 0.5

/** Sentences for what speaks against a service, weightiest first. */
export function reasonsFor(
  comparison: Comparison,
  service: number,
  { evidence, weights, exp }: { evidence: Float64Array; weights: Float64Array; exp: (x: number) => number },
): string[] {
  const calibrated = (name: EvidenceName): number =>
    evidence[service * EVIDENCE_COUNT + EVIDENCE.indexOf(name)]! * weights[EVIDENCE.indexOf(name)]!
  const reasons: { weight: number; text: string }[] = []
  const say = (name: EvidenceName, text: string | undefined): void => {
    const weight = calibrated(name)
    if (weight >= WORTH_SAYING && text) reasons.push({ weight, text })
  }
  const slowest = (of: (change: Comparison['changes'][number]) => boolean): string | undefined => {
    const [worst] = comparison.changes
      .filter(of)
      .sort((a, b) => b.logShift * b.windowCount - a.logShift * a.windowCount)
    if (!worst || worst.logShift <= 0) return undefined
    return `${describe(worst.context)} takes ${factor(exp(worst.logShift))} as long as before (median, n = ${worst.windowCount} against ${worst.referenceCount})`
  }
  const { changes, callChanges, addedUs } = comparison
  say(
    'callDelay',
    slowest(({ context }) => context.calleeNumber === service),
  )
  say(
    'ownDelay',
    slowest(({ context }) => context.serviceNumber === service && context.calleeNumber < 0),
  )
  say(
    'outgoingDelay',
    slowest(({ context }) => context.serviceNumber === service && context.calleeNumber >= 0),
  )

  const share = (of: (change: Comparison['changes'][number]) => boolean): number =>
    changes.filter(of).reduce((sum, { addedUs: added }) => sum + Math.max(0, added), 0) / (addedUs + 1)
  const waiting = share(({ context }) => context.calleeNumber === service)
  const working = share(({ context }) => context.serviceNumber === service && context.calleeNumber < 0)
  say('callShare', `${percent(waiting)} of the added latency is waiting for it`)
  say('ownShare', `${percent(working)} of the added latency is its own work`)

  const [odd] = callChanges
    .filter(({ calls }) => calls.serviceNumber === service)
    .sort((a, b) => b.likelihood - a.likelihood)
  if (odd) {
    const called = odd.calls.sets[odd.set]!
    say(
      'behaviour',
      `${odd.windowCount} of ${odd.windowTotal} calls of ${odd.calls.operation} ${called.length === 0 ? 'called nothing' : `called ${list(called)}`}, before ${odd.referenceCount} of ${odd.referenceTotal}`,
    )
  }
  return reasons.sort((a, b) => b.weight - a.weight).map(({ text }) => text)
}

function describe({ service, operation, callee, calleeOperation, kind }: CulpritContext): string {
  if (callee === undefined) return `its own work in ${operation}`
  return `the ${kind === 'queue' ? 'queue' : 'way'} from ${service} to ${callee} (${calleeOperation})`
}

function factor(ratio: number): string {
  return `${ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(1)}×`
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(', ')
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown
}

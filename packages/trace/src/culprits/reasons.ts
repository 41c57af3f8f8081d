import type { Comparison, ContextChange, MarkChange } from './compare.js'
import type { EvidenceName } from './evidence.js'
import type { Pool } from './pool.js'
import type { CulpritContext } from './window.js'

/** Times its noise; below, it is no more than a healthy system shows. */
const WORTH_SAYING = 1

/** Sentences for what speaks against a service, weightiest first. */
export function reasonsFor(
  { owners }: Pool,
  { changes, markChanges }: Comparison,
  service: number,
  evidence: Readonly<Record<EvidenceName, number>>,
  exp: (x: number) => number,
): string[] {
  const ownerOf = ({ context }: ContextChange) => owners[context.ownerNumber]!
  const slowest = (of: (change: ContextChange) => boolean): string | undefined => {
    const [worst] = changes.filter(of).sort((a, b) => b.logGrowth * b.windowCount - a.logGrowth * a.windowCount)
    if (!worst || worst.logGrowth <= 0) return undefined
    return `${describe(worst.context)} takes ${factor(exp(worst.logGrowth))} as long as before (on average, n = ${worst.windowCount} against ${worst.referenceCount})`
  }
  const [odd] = markChanges.filter(({ accused }) => accused === service).sort((a, b) => b.likelihood - a.likelihood)
  const sentences: Record<EvidenceName, string | undefined> = {
    work: slowest((change) => ownerOf(change).serviceNumber === service && ownerOf(change).calleeNumber < 0),
    waysTo: slowest((change) => ownerOf(change).calleeNumber === service),
    waysFrom: slowest((change) => ownerOf(change).serviceNumber === service && ownerOf(change).calleeNumber >= 0),
    behaviour: odd && behaviourText(odd),
  }
  return (Object.entries(sentences) as [EvidenceName, string | undefined][])
    .filter(([name]) => evidence[name] >= WORTH_SAYING)
    .sort(([a], [b]) => evidence[b] - evidence[a])
    .flatMap(([, text]) => text ?? [])
}

function describe({ service, operation, callee, calleeOperation, kind }: CulpritContext): string {
  if (callee === undefined) return `its own work in ${operation}`
  return `the ${kind === 'queue' ? 'queue' : 'way'} from ${service} to ${callee} (${calleeOperation})`
}

function behaviourText({ mark, windowCount, windowTotal, referenceCount, referenceTotal }: MarkChange): string {
  const { kind, service, operation, callee, seen } = mark
  const what = {
    calls: `${operation} called ${seen.length === 0 ? 'nothing' : list(seen)}`,
    stops: `${operation} of ${service} did nothing more after calling it`,
    repeats: `${operation} of ${service} called it more than once`,
    fails: callee === undefined ? `${operation} failed` : `the call ${operation} of ${service} to it failed`,
  }[kind]
  return `in ${whole(windowCount)} of ${whole(windowTotal)} requests ${what}, before in ${whole(referenceCount)} of ${whole(referenceTotal)}`
}

function factor(ratio: number): string {
  return `${ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(1)}×`
}

const whole = (count: number): string => count.toFixed(0)

function list(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(', ')
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown
}

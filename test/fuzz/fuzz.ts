import { Dice, mutate } from './mutate.js'

/** Something that reads what others wrote. */
export interface Reader {
  readonly name: string
  /** Good files, to be damaged. */
  samples(): Uint8Array[] | Promise<Uint8Array[]>
  /** Reads one, and uses what it read as its callers do. */
  read(bytes: Uint8Array): unknown
}

export interface FuzzOptions {
  readonly seed: number
  /** So many damaged files … */
  readonly cases: number
  /** … or as many as fit into this time. */
  readonly milliseconds: number
}

export interface Failure {
  readonly reader: string
  /** Of the case alone: it damages the same file the same way again. */
  readonly seed: number
  readonly input: Uint8Array
  readonly what: string
}

export interface FuzzResult {
  readonly cases: number
  /** Files that were read in spite of the damage. */
  readonly accepted: number
  readonly failures: readonly Failure[]
}

/** On a machine with something else to do; a reader that hangs takes longer. */
const LONGEST_MS = 10_000
const MOST_FAILURES = 5

/**
 * Damaged files through one reader. Each must be read, or refused with an error that has a code of ours: no stack trace of the
 * engine's, no trap, no hang, and the bytes stay as they were.
 */
export async function fuzz(reader: Reader, { seed, cases, milliseconds }: FuzzOptions): Promise<FuzzResult> {
  const samples = await reader.samples()
  const failures: Failure[] = []
  const startMs = performance.now()
  let [done, accepted] = [0, 0]
  for (; done < cases && performance.now() - startMs < milliseconds && failures.length < MOST_FAILURES; done++) {
    const own = (seed * 1_000_003 + done) | 0
    const input = done === 0 ? samples[0]! : mutate(samples, new Dice(own))
    const before = input.slice()
    const beganMs = performance.now()
    let what: string | undefined
    try {
      await reader.read(input)
      accepted++
    } catch (error) {
      what = objectionTo(error)
      if (done === 0) what ??= `a good file is refused: ${(error as Error).message}`
    }
    if (performance.now() - beganMs > LONGEST_MS) what = `took ${Math.round(performance.now() - beganMs)} ms`
    if (input.some((byte, i) => byte !== before[i])) what = 'the input was changed'
    if (what !== undefined) failures.push({ reader: reader.name, seed: own, input: before, what })
  }
  return { cases: done, accepted, failures }
}

/** Nothing, for a refusal in order: an error with a code of ours, other than that of a trap. */
function objectionTo(error: unknown): string | undefined {
  const { code, stack } = error as { readonly code?: unknown; readonly stack?: string }
  if (typeof code === 'string' && /^[a-z][a-z0-9_]*$/.test(code) && !code.startsWith('core_')) return undefined
  return stack ?? String(error)
}

/** Part of the API: codes stay, new ones may come. */
export type RepairCode =
  | 'unreadable_input'
  | 'unreadable_span'
  | 'truncated_input'
  | 'empty_input'
  | 'repeated_trace'
  | 'time_invalid'
  | 'missing_end'
  | 'negative_duration'
  | 'duplicate_span'
  | 'duplicate_id'
  | 'shared_span'
  | 'missing_parent'
  | 'self_parent'
  | 'several_parents'
  | 'cycle'
  | 'several_roots'
  | 'unknown_process'
  | 'clamped'
  | 'dropped'
  | 'overlap_trimmed'
  | 'skew_corrected'
  | 'skew_unresolved'

/** What each code means, in words. */
export const REPAIRS: Readonly<Record<RepairCode, string>> = {
  unreadable_input: 'a part of the input is not what its format says; it was skipped',
  unreadable_span: 'a span lacks an id or has fields of the wrong type; it was left out',
  truncated_input: 'the input begins or ends in mid-air; what is whole is used',
  empty_input: 'one of several inputs holds no spans',
  repeated_trace:
    'more spans of a trace came after it had been handed on; they count as another request (files read together are joined)',
  time_invalid: 'a time is not a number or beyond 2^63 ns, or a span is longer than 104 days; the span was left out',
  missing_end: 'a span has no end or duration; it was taken to last until its last child ends, or no time at all',
  negative_duration: 'a span ends before it starts; it was given no length',
  duplicate_span: 'a span came twice with the same content; it counts once',
  duplicate_id: 'different spans share an id; the later ones were renamed',
  shared_span: 'client and server shared one span id (Zipkin); the server half became its child',
  missing_parent: 'a parent was never collected; the span became a root',
  self_parent: 'a span names itself as its parent; that reference was skipped',
  several_parents: 'a span names several parents; the first was taken',
  cycle:
    "spans are each other's ancestors; the ring was opened where a span only follows from its parent, else at its earliest span",
  several_roots:
    'a trace has several roots; the path follows one that names no parent, else one whose parent was never collected; of several the one that starts first',
  unknown_process: 'a span names a process that the trace does not describe; its service is "unknown"',
  clamped: "a child reached beyond its parent; it was cut to the parent's window",
  dropped: 'a child lies wholly outside its parent; it was left off the path with all below it',
  overlap_trimmed: 'siblings overlapped by no more than the tolerance; they were taken as one after the other',
  skew_corrected: 'a span of another host was moved into its parent (asked for by clockSkew)',
  skew_unresolved: 'a span of another host does not fit its parent and the allowed correction',
}

const MAX_EXAMPLES = 3

/** How often one kind of repair was made. */
export interface RepairCount {
  readonly code: RepairCode
  readonly count: number
  /** Up to three places: `traceId/spanId`, or where in the input. */
  readonly examples: readonly string[]
}

/** Counts repairs by code, with the first few places of each. Nothing is mended in silence. */
export class Repairs {
  readonly #counts = new Map<RepairCode, { count: number; examples: string[] }>()

  /** @param where  called only while examples are still wanted */
  add(code: RepairCode, where: () => string, count = 1): void {
    let entry = this.#counts.get(code)
    if (!entry) {
      entry = { count: 0, examples: [] }
      this.#counts.set(code, entry)
    }
    entry.count += count
    if (entry.examples.length < MAX_EXAMPLES) entry.examples.push(where())
  }

  /** How often a repair was made; 0 where never. */
  count(code: RepairCode): number {
    return this.#counts.get(code)?.count ?? 0
  }

  /** Of all codes together. */
  get total(): number {
    let total = 0
    for (const { count } of this.#counts.values()) total += count
    return total
  }

  /** Adds what `other` counted. */
  merge(other: Repairs): void {
    for (const { code, count, examples } of other.list()) {
      let entry = this.#counts.get(code)
      if (!entry) {
        entry = { count: 0, examples: [] }
        this.#counts.set(code, entry)
      }
      entry.count += count
      entry.examples.push(...examples.slice(0, MAX_EXAMPLES - entry.examples.length))
    }
  }

  /** In the order of `REPAIRS`. */
  list(): RepairCount[] {
    return (Object.keys(REPAIRS) as RepairCode[]).flatMap((code) => {
      const entry = this.#counts.get(code)
      return entry ? [{ code, count: entry.count, examples: entry.examples }] : []
    })
  }

  /** As `list`: what `JSON.stringify` writes. */
  toJSON(): RepairCount[] {
    return this.list()
  }
}

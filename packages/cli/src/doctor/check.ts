/** One thing that was looked at. */
export interface Check {
  readonly name: string
  /** `ok`: there. `absent`: not there, and nothing needs it. `bad`: Trimtab does not work here as it is. */
  readonly state: 'ok' | 'absent' | 'bad'
  readonly found: string
  /** What that means, or how to get what is absent. */
  readonly meaning: string
}

/** The words of whatever was thrown. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

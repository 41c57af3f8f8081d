/** Scores of a group of rows. */
export interface GroupScores {
  readonly name: string
  readonly rows: number
  readonly accuracy: number
  readonly l1: number
  /** null where no two answers of one model differ. */
  readonly order: number | null
}

/** After so many finished requests were learnt from. */
export interface CurvePoint extends GroupScores {
  readonly finished: number
}

export interface LengthEvaluation {
  readonly format: 'trimtab-length-evaluation'
  readonly version: 1
  readonly file: string
  readonly where: string
  readonly predictor: {
    readonly name: string
    /** What its file says it was trained on. */
    readonly trainedOn: readonly { readonly name: string; readonly tier: string; readonly rows: number }[]
    /** Rows it had learnt from, passes counted. */
    readonly updates: number
  }
  readonly all: GroupScores
  readonly sources: readonly (GroupScores & { readonly tier: string })[]
  readonly models: readonly GroupScores[]
  /** Rows by true class (down) and predicted class (across), 5 × 5. */
  readonly confusion: readonly (readonly number[])[]
  /** Median time of a prediction for prompts cut or filled to 320 characters, µs. */
  readonly microseconds320: number
  /** With --learn: before, on the way and after. */
  readonly learning: { readonly file: string; readonly finished: number; readonly curve: readonly CurvePoint[] } | null
}

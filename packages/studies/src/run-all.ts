/** What a long run says while it works. */
export interface StudyProgress {
  readonly done: number
  readonly total: number
  /** `app 2/5 · seed 1 · trimtab`. */
  readonly label: string
}

/** Who runs the trials of a study, and who is told. */
export interface StudyHooks<Spec, Result> {
  /** Runs one trial, here or in a worker. One that has parts may say which one begins. */
  readonly run: (spec: Spec, onPart: (part: string) => void) => Promise<Result>
  /** Called when a part of the work is done. */
  readonly onProgress?: (progress: StudyProgress) => void
  readonly signal?: AbortSignal
}

/**
 * Runs every trial, as many at a time as `run` takes.
 * @param partsOf  parts of a trial, which progress counts
 * @throws what a trial throws; the signal's reason
 */
export async function runAll<Spec, Result>(
  specs: readonly Spec[],
  labelOf: (spec: Spec) => string,
  { run, onProgress, signal }: StudyHooks<Spec, Result>,
  partsOf: (spec: Spec) => number = () => 1,
): Promise<Result[]> {
  const total = specs.reduce((sum, spec) => sum + partsOf(spec), 0)
  let done = 0
  const tell = (label: string): void => onProgress?.({ done, total, label })
  return Promise.all(
    specs.map(async (spec) => {
      let doneOfIt = -1 // a part that begins ends the one before
      const result = await run(spec, (part) => {
        if (++doneOfIt > 0) done++
        tell(`${labelOf(spec)} · ${part}`)
      })
      signal?.throwIfAborted()
      done += partsOf(spec) - Math.max(0, doneOfIt)
      tell(labelOf(spec))
      return result
    }),
  )
}

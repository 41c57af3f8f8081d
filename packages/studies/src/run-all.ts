/** What a long run says while it works. */
export interface StudyProgress {
  readonly done: number
  readonly total: number
  /** `app 2/5 · seed 1 · trimtab`. */
  readonly label: string
}

/** Who runs the trials of a study, and who is told. */
export interface StudyHooks<Spec, Result> {
  /** Runs one trial, here or in a worker. */
  readonly run: (spec: Spec) => Promise<Result>
  /** Called when a part of the work is done. */
  readonly onProgress?: (progress: StudyProgress) => void
  readonly signal?: AbortSignal
}

/** Runs every trial, as many at a time as `run` takes. @throws what a trial throws; the signal's reason */
export async function runAll<Spec, Result>(
  specs: readonly Spec[],
  labelOf: (spec: Spec) => string,
  { run, onProgress, signal }: StudyHooks<Spec, Result>,
): Promise<Result[]> {
  let done = 0
  return Promise.all(
    specs.map(async (spec) => {
      const result = await run(spec)
      signal?.throwIfAborted()
      done++
      onProgress?.({ done, total: specs.length, label: labelOf(spec) })
      return result
    }),
  )
}

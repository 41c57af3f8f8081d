import { type Change, keyOf, undo } from './change.js'
import type { Journal } from './journal.js'
import type { KernelFiles } from './kernel-files.js'

/** What this process has changed and not yet undone: first in the journal, then on the machine. */
export class Changes {
  readonly files: KernelFiles
  readonly #journal: Journal
  readonly #made = new Map<string, Change>()

  constructor(journal: Journal, files: KernelFiles) {
    this.#journal = journal
    this.files = files
  }

  /**
   * Notes what is about to be changed, then does it. Only the first change of a thing is noted: it knows how that was.
   * @throws {AdapterError} `journal_unwritable`, and nothing is done; what `act` throws, and nothing new is noted
   */
  make(change: Change, act: () => void): void {
    const key = keyOf(change)
    const isNew = !this.#made.has(key)
    if (isNew) {
      this.#journal.append(change)
      this.#made.set(key, change)
    }
    try {
      act()
    } catch (error) {
      // A refused write has changed nothing, and need not be undone, which would be refused too. Of several commands some may have done it.
      if (isNew && (change.kind !== 'network' || undoAll([change], this.files).errors.length === 0))
        this.#forget([change])
      throw error
    }
  }

  /**
   * Undoes what `concerns`, last made first; what cannot be undone stays noted.
   * @returns why it could not
   */
  undo(concerns: (change: Change) => boolean = () => true): Error[] {
    const { undone, errors } = undoAll([...this.#made.values()].filter(concerns), this.files)
    try {
      if (undone.length > 0) this.#forget(undone)
    } catch (error) {
      errors.push(error as Error) // it will be undone once more, which does no harm
    }
    return errors
  }

  #forget(changes: readonly Change[]): void {
    for (const change of changes) this.#made.delete(keyOf(change))
    this.#journal.replace([...this.#made.values()])
  }
}

/** Undoes changes, last made first, as many as can be. */
export function undoAll(
  changes: readonly Change[],
  files: KernelFiles,
): { readonly undone: Change[]; readonly errors: Error[] } {
  const [undone, errors]: [Change[], Error[]] = [[], []]
  for (const change of [...changes].reverse()) {
    try {
      undo(change, files)
      undone.push(change)
    } catch (error) {
      errors.push(error as Error)
    }
  }
  return { undone, errors }
}

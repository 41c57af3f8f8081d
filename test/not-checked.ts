import { it } from 'vitest'

/**
 * What this machine cannot check, said loudly: a line `NOT CHECKED: …` now, and a skipped test that `.ci/run` lists at the end.
 * Call it while tests are collected, in place of those that cannot run.
 * @param what  stays unchecked
 * @param needs  what the machine lacks, and how it is got where that is not plain
 */
export function notChecked(what: string, needs: string): void {
  console.warn(`\nNOT CHECKED: ${what}: needs ${needs}\n`)
  it.skip(`${what}: needs ${needs}`, () => {})
}

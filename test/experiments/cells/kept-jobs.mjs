// Jobs of a worker pool that are done once: a run that was stopped goes on where it was, with the code that it began with.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../../scripts/stamp.mjs'

/** What the built packages were made from: other code, other cells. */
const codeStamp = () =>
  readdirSync(join(ROOT, 'packages'))
    .map((name) => join(ROOT, 'packages', name, 'dist', '.stamp'))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join()

/**
 * @param folder  holds a file for each job that is done; absent: nothing is kept
 * @returns `(name, spec)` as the pool's `run`, for jobs whose specs and results are plain JSON
 */
export function keptJobs(pool, folder) {
  if (folder === undefined) return (name, spec) => pool.run(name, spec)
  mkdirSync(folder, { recursive: true })
  const code = codeStamp()
  return async (name, spec) => {
    const digest = createHash('sha256')
      .update(JSON.stringify([code, name, spec]))
      .digest('hex')
    const file = join(folder, `${name}-${digest.slice(0, 32)}.json`)
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')).result
    const result = await pool.run(name, spec)
    writeFileSync(`${file}.draft`, JSON.stringify({ name, spec, result }))
    renameSync(`${file}.draft`, file)
    return result
  }
}

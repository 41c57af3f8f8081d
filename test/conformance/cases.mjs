// What a vector file holds and what the command line selects from it.
import { basename } from 'node:path'

/** The call cannot be understood; nothing was run. */
export class BadCall extends Error {}

/**
 * The arguments after `--`: one folder, and lists of kinds after --only and --skip (up to the next flag, or commas).
 * @throws {BadCall}
 */
export function parseCall(args) {
  const call = { folder: undefined, only: [], skip: [], json: false }
  let list
  for (const arg of args) {
    if (arg === '--json') {
      call.json = true
      list = undefined
    } else if (arg === '--only' || arg === '--skip') list = call[arg.slice(2)]
    else if (arg.startsWith('-')) throw new BadCall(`unknown option ${arg}`)
    else if (list) list.push(...arg.split(',').filter((kind) => kind !== ''))
    else if (call.folder === undefined) call.folder = arg
    else throw new BadCall(`one folder at a time: ${call.folder} and ${arg}`)
  }
  if (call.folder === undefined) throw new BadCall('no folder given')
  for (const name of ['only', 'skip']) {
    if (args.includes(`--${name}`) && call[name].length === 0) throw new BadCall(`--${name} needs at least one kind`)
  }
  const selects = (kind) => (call.only.length === 0 || call.only.includes(kind)) && !call.skip.includes(kind)
  return { ...call, selects }
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The cases of a parsed file as `{ kind, name, group, case }`; none when it has no kind at all.
 *
 * The kind of the file comes before that of the case (nn/ppo-loss has cases with a `kind` of their own meaning). A file
 * with a kind and no `cases` is one case when it has a name of its own; otherwise each entry of a named group is one.
 */
export function casesOf(file) {
  if (!isObject(file)) return []
  if (Array.isArray(file.cases)) {
    if (file.kind === undefined && !file.cases.some((entry) => entry?.kind !== undefined)) return []
    return file.cases.map((entry, i) => toCase(file, 'cases', i, entry))
  }
  if (file.kind === undefined) return []
  const groups = file.name === undefined ? namedGroups(file) : []
  return groups.length === 0 ? [toCase(file, '', 0, file)] : groups
}

function namedGroups(file) {
  return Object.entries(file).flatMap(([group, value]) => {
    const entries = Array.isArray(value) ? value : [value]
    if (group === 'tol' || !entries.every(isObject)) return []
    return entries.map((entry, i) => toCase(file, group, i, entry))
  })
}

function toCase(file, group, index, entry) {
  const kind = file.kind ?? entry?.kind ?? '(none)'
  const where = group === '' ? basename(kind) : `${basename(kind)}/${group}[${index}]`
  return { kind, name: entry?.name ?? where, group, case: entry }
}

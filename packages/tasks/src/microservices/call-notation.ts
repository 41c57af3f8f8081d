import { ConfigError } from '@trimtab/core'

/** Who calls whom, without numbers. */
export interface CallSketch {
  readonly service: string
  readonly probability: number
  readonly background: boolean
  readonly stages: CallSketch[][]
}

const TOKEN = /\s*(?:([~(),&])|([a-z0-9-]+)(?:\?([0-9.]+))?|(\S))/y

/**
 * Reads a tree of calls in one line: `a(b & c, d?0.3(e), ~f)` is a, which calls b and c at once, then d, three times in
 * ten (and d calls e), then f without waiting for it.
 * @throws {ConfigError} `config_invalid`
 */
export function parseCalls(text: string): CallSketch {
  const top: CallSketch = { service: '', probability: 1, background: false, stages: [[]] }
  const open: CallSketch[] = [top]
  let background = false
  const refuse = (what: string, at: number): never => {
    throw new ConfigError('config_invalid', `calls: ${what} at ${at} of "${text}"`)
  }
  TOKEN.lastIndex = 0
  for (let at = 0; at < text.trimEnd().length; at = TOKEN.lastIndex) {
    const [, mark, name, probability, strange] = TOKEN.exec(text)!
    if (strange) refuse(`"${strange}" is neither a name nor one of ~ ( ) , &`, at)
    const caller = open.at(-1)!
    const last = caller.stages.at(-1)?.at(-1)
    if (name) {
      const call = { service: name, probability: Number(probability ?? 1), background, stages: [] }
      if (!(call.probability >= 0 && call.probability <= 1)) refuse('a probability is 0 … 1', at)
      caller.stages.at(-1)!.push(call)
      background = false
    } else if (mark === '~') background = true
    else if (mark === ',') caller.stages.push([])
    else if (mark === '(') {
      if (!last) refuse('nobody to make these calls', at)
      last!.stages.push([])
      open.push(last!)
    } else if (mark === ')' && (open.length === 1 || !last)) refuse('nothing to close', at)
    else if (mark === ')') open.pop()
  }
  const [entry, ...others] = top.stages.flat()
  if (open.length > 1) refuse('a "(" is not closed', text.length)
  if (!entry || others.length > 0) refuse('one entry is needed', 0)
  return entry!
}

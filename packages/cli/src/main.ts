import { printable } from '@trimtab/core/text'
import { type Command, EXIT } from './command.js'
import { fitHelp, helpOfAll } from './help.js'
import { type Host, hostWith } from './host.js'
import { suggestion, UsageError } from './options.js'
import { createPaint, guardOutput } from './terminal.js'
import { VERBS } from './verbs.js'
import { readVersion } from './version.js'

/** Codes by which a part says that its input cannot be used. */
const BAD_CALL: readonly unknown[] = [
  'usage',
  'checkpoint_other_setup',
  'campaign_invalid',
  'config_invalid',
  'culprit_model_invalid',
  'kubeconfig_invalid',
  'kubeconfig_missing',
  'load_invalid',
  'placement_infeasible',
  'reference_too_small',
  'samples_invalid',
  'table_invalid',
  'task_mismatch',
  'task_not_control',
  'task_unknown',
  'task_unreadable',
  'trace_empty',
  'trace_format_unknown',
  'trace_packed',
  'trace_too_large',
]

/**
 * What was refused with a code of ours (a damaged file), or by the machine (a full disk, a port in use), is told by its message alone;
 * where it came from helps nobody. A core that failed is our fault.
 */
function isRefusal(error: unknown): boolean {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown }
  if (typeof code === 'string' && /^[a-z][a-z\d_]*$/.test(code)) return !code.startsWith('core_')
  return /^E[A-Z\d]+$/.test(String(code)) || (cause instanceof Error && isRefusal(cause))
}

/**
 * The command `trimtab`: results on stdout, everything else on stderr.
 * @returns the exit code: 0 done, 1 the answer is bad, 2 the call is bad, 130 interrupted
 */
export async function main(argv: readonly string[], process: Host): Promise<number> {
  const host = hostWith(process, { stdout: guardOutput(process.stdout), stderr: guardOutput(process.stderr) })
  const [verb, ...rest] = asVerbs(argv)
  try {
    if (verb === 'version') host.stdout.write(`${await readVersion()}\n`)
    else if (verb === 'help') host.stdout.write(fitHelp(await helpOf(rest), host.stdout))
    else return await (await load(verb)).execute(rest, host)
    return EXIT.done
  } catch (error) {
    if (host.signal.aborted) {
      host.stderr.write('trimtab: interrupted, nothing was written\n')
      return EXIT.interrupted
    }
    const paint = createPaint(host.stderr, host.env)
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    const { code } = error as { readonly code?: unknown }
    const isBadCall = BAD_CALL.includes(code)
    for (const line of message.split('\n')) host.stderr.write(`${paint.bad('trimtab:')} ${printable(line)}\n`)
    if (isBadCall)
      host.stderr.write(
        `Run ${paint.bold(['trimtab', await nameOf(verb, rest), '--help'].filter(Boolean).join(' '))} for what it takes.\n`,
      )
    else if (stack && !isRefusal(error)) for (const line of stack.split('\n')) host.stderr.write(`${paint.dim(line)}\n`)
    return isBadCall ? EXIT.badCall : EXIT.badAnswer
  }
}

/** The call with its command in front: `help` for what asks for help in any form, `version` for that. */
function asVerbs(argv: readonly string[]): readonly [string, ...string[]] {
  const [verb = 'help', ...rest] = argv
  const isHelp = (word: string) => word === '--help' || word === '-h'
  if (verb === '--version' || verb === '-v') return ['version']
  if (isHelp(verb)) return ['help']
  return rest.some(isHelp) && verb !== 'help' ? ['help', ...argv] : [verb, ...rest]
}

const find = (verb: string | undefined) => (verb !== undefined && Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined)

const nameOf = async (verb: string | undefined, argv: readonly string[]): Promise<string> =>
  (await find(verb)?.())?.nameOf(argv) ?? ''

async function load(verb: string): Promise<Command> {
  const found = find(verb)
  if (found) return found()
  throw new UsageError(
    `unknown command ${JSON.stringify(verb)}${suggestion(verb, [...Object.keys(VERBS), 'help'], '')}`,
  )
}

const helpOf = async ([verb, ...rest]: readonly string[]): Promise<string> =>
  verb === undefined ? helpOfAll() : (await load(verb)).help(rest)

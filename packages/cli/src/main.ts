import { printable } from '@trimtab/core/text'
import { type Command, EXIT } from './command.js'
import { type Host, hostWith } from './host.js'
import { suggestion, UsageError } from './options.js'
import { createPaint, guardOutput } from './terminal.js'
import { readVersion } from './version.js'

/** Verbs load on demand: `trimtab --help` starts no core. */
const VERBS: Readonly<Record<string, () => Promise<Command>>> = {
  autoscale: async () => (await import('./commands/autoscale.js')).autoscale,
  compare: async () => (await import('./commands/compare.js')).compare,
  rightsize: async () => (await import('./commands/rightsize.js')).rightsize,
  trace: async () => (await import('./commands/trace.js')).trace,
  'predict-length': async () => (await import('./commands/predict-length.js')).predictLength,
  pretrain: async () => (await import('./commands/pretrain.js')).pretrain,
  adapt: async () => (await import('./commands/adapt.js')).adapt,
  embed: async () => (await import('./commands/embed.js')).embed,
  similarity: async () => (await import('./commands/similarity.js')).similarityCommand,
  gpu: async () => (await import('./commands/gpu.js')).gpu,
  gateway: async () => (await import('./commands/gateway.js')).gateway,
  recommend: async () => (await import('./commands/recommend.js')).recommend,
  operator: async () => (await import('./commands/operator.js')).operator,
  serverless: async () => (await import('./commands/serverless.js')).serverless,
  collect: async () => (await import('./commands/collect.js')).collect,
  tenants: async () => (await import('./commands/tenants.js')).tenants,
  schedule: async () => (await import('./commands/schedule.js')).schedule,
  linux: async () => (await import('./commands/linux.js')).linux,
  doctor: async () => (await import('./commands/doctor.js')).doctor,
}

/** Codes by which a part says that its input cannot be used. */
const BAD_CALL: readonly unknown[] = [
  'usage',
  'checkpoint_other_setup',
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
  const [verb, ...rest] = argv
  try {
    if (verb === '--version') host.stdout.write(`${await readVersion()}\n`)
    else if (verb === '--help') host.stdout.write(await renderHelp())
    else return await executeVerb(verb, rest, host)
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

const find = (verb: string | undefined) => (verb !== undefined && Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined)

const nameOf = async (verb: string | undefined, argv: readonly string[]): Promise<string> =>
  (await find(verb)?.())?.nameOf(argv) ?? ''

async function executeVerb(verb: string | undefined, argv: readonly string[], host: Host): Promise<number> {
  if (verb === undefined) throw new UsageError(`a command is missing: one of ${Object.keys(VERBS).join(', ')}`)
  const load = find(verb)
  if (!load) throw new UsageError(`unknown command ${JSON.stringify(verb)}${suggestion(verb, Object.keys(VERBS), '')}`)
  const command = await load()
  if (argv.includes('--help')) {
    host.stdout.write(await command.help(argv))
    return EXIT.done
  }
  return command.execute(argv, host)
}

async function renderHelp(): Promise<string> {
  const verbs = await Promise.all(Object.entries(VERBS).map(async ([name, load]) => ({ name, command: await load() })))
  const width = Math.max(...verbs.map(({ name }) => name.length))
  const lines = verbs.map(({ name, command }) => `  ${name.padEnd(width)}  ${command.summary}`)
  return `Learned cloud management: policies that start from the rules they replace.

Usage: trimtab <command> [options]

Commands:
${lines.join('\n')}

Options:
  --help     show this; trimtab <command> --help shows the command's options
  --version  show the version

Examples:
  trimtab autoscale
  trimtab autoscale --load requests-per-minute.csv --apps 3
  trimtab rightsize runs.csv --measured mine.csv --max-seconds 60
  trimtab trace culprits slow.json.gz --baseline usual.json.gz
  trimtab schedule --requests requests.jsonl.gz
  trimtab doctor

Results go to stdout, progress to stderr. Exit: 0 done, 1 the answer is bad, 2 the call is bad.
`
}

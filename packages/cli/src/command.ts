import type { Host } from './host.js'
import { helpOfOptions, type Options, readCall, suggestion, switchOption, UsageError, type Values } from './options.js'

/** `done`: the answer is there. `badAnswer`: it is there and says no. `badCall`: the command could not start. */
export const EXIT = { done: 0, badAnswer: 1, badCall: 2, interrupted: 130 } as const

export type Example = readonly [call: string, what: string]

/** What can be typed after the name of a command, and what its help shows. */
export interface Outline {
  readonly summary: string
  readonly examples: readonly Example[]
  /** Without their dashes. */
  readonly options: readonly string[]
  readonly commands: Readonly<Record<string, Outline>>
}

/** One verb: what the dispatcher needs to know of it. */
export interface Command {
  readonly summary: string
  outline(): Promise<Outline>
  /** Reads the call as `execute` would, and runs nothing. @throws {UsageError} */
  check(argv: readonly string[]): Promise<void>
  /** The words of a call that say which command it is: `trace profile` of `trace profile a.json`. */
  nameOf(argv: readonly string[]): string
  help(argv: readonly string[]): string | Promise<string>
  /** @returns the exit code */
  execute(argv: readonly string[], host: Host): Promise<number>
}

export interface CommandDefinition<O extends Options> {
  readonly name: string
  readonly summary: string
  /** What stands beside the options, for the help: `FILE…`. Without it every value follows the name of an option. */
  readonly operands?: string
  readonly options: O
  /** What `--sample` stands for, as words of a call: files that come with the package. Without it there is no such option. */
  readonly sample?: readonly string[]
  readonly examples: readonly Example[]
  /** What the exit codes mean for this verb. */
  readonly exits: string
  run(values: Values<O>, host: Host, operands: readonly string[]): Promise<number>
}

export function defineCommand<O extends Options>(definition: CommandDefinition<O>): Command {
  const { name, summary, operands, options, sample, examples, exits } = definition
  const shown: Options = {
    ...options,
    ...(sample && { sample: switchOption('with files that come with the package, in place of yours') }),
    help: switchOption('show this'),
  }
  const read = (argv: readonly string[]) => {
    const own = argv.filter((word) => word !== '--sample')
    if (!sample || own.length === argv.length) return readCall(options, argv, operands)
    const { operands: files } = readCall(options, own, operands)
    if (files.length > 0)
      throw new UsageError(`--sample brings files of its own: leave it out, or leave out ${files.join(' ')}`)
    return readCall(options, [...sample, ...own], operands)
  }
  return {
    summary,
    outline: async () => ({ summary, examples, options: Object.keys(shown), commands: {} }),
    check: async (argv) => void read(argv),
    nameOf: () => name,
    help() {
      const calls = examples.map(([call, what]) => `  ${call}\n      ${what}`)
      const usage = `trimtab ${name} ${operands ? `${operands} ` : ''}[options]`
      return `${summary}\n\nUsage: ${usage}\n\nOptions:\n${helpOfOptions(shown)}\n\nExamples:\n${calls.join('\n')}\n\n${exits}\n`
    },
    execute(argv, host) {
      const call = read(argv)
      return definition.run(call.values, host, call.operands)
    },
  }
}

export interface GroupDefinition {
  readonly name: string
  readonly summary: string
  readonly commands: Readonly<Record<string, () => Promise<Command>>>
  readonly examples: readonly Example[]
  /** What the name does without one of its verbs; it takes options only. */
  readonly itself?: () => Promise<Command>
}

/** A verb with verbs of its own, each loaded on demand. */
export function defineGroup({ name, summary, commands, examples, itself }: GroupDefinition): Command {
  const names = Object.keys(commands)
  const find = (word: string | undefined) =>
    word !== undefined && Object.hasOwn(commands, word) ? commands[word] : undefined
  const unknown = (word: string | undefined) =>
    new UsageError(
      word === undefined
        ? `${name}: a command is missing: ${names.join(', ')}`
        : `${name}: unknown command ${JSON.stringify(word)}${suggestion(word, names, '') || `: one of ${names.join(', ')}`}`,
    )
  /** The command that a call is for, and what is left of the call for it. */
  async function choose([word, ...rest]: readonly string[]): Promise<[Command, readonly string[]]> {
    const load = find(word)
    if (load) return [await load(), rest]
    if (!itself || (word !== undefined && !word.startsWith('-'))) throw unknown(word)
    return [await itself(), word === undefined ? [] : [word, ...rest]]
  }
  return {
    summary,
    async outline() {
      const outlines = Object.entries(commands).map(async ([verb, load]) => [verb, await (await load()).outline()])
      const own = await (await itself?.())?.outline()
      const commandsBelow = Object.fromEntries(await Promise.all(outlines))
      return { summary, examples, options: own?.options ?? ['help'], commands: commandsBelow }
    },
    async check(argv) {
      const [command, rest] = await choose(argv)
      await command.check(rest)
    },
    nameOf: ([word]) => (find(word) ? `${name} ${word}` : name),
    async help([word, ...rest]) {
      const load = find(word)
      if (load) return (await load()).help(rest)
      const width = Math.max(...names.map(({ length }) => length))
      const lines = await Promise.all(
        Object.entries(commands).map(async ([verb, load]) => `  ${verb.padEnd(width)}  ${(await load()).summary}`),
      )
      const calls = examples.map(([call, what]) => `  ${call}\n      ${what}`)
      const head = itself
        ? await (await itself()).help([])
        : `${summary}\n\nUsage: trimtab ${name} <command> [options]\n`
      return `${head}\nCommands:\n${lines.join('\n')}\n\nExamples:\n${calls.join('\n')}\n\ntrimtab ${name} <command> --help shows what each takes.\n`
    },
    async execute(argv, host) {
      const [command, rest] = await choose(argv)
      return command.execute(rest, host)
    },
  }
}

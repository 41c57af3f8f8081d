import type { Host } from './host.js'
import { helpOfOptions, type Options, readCall, suggestion, switchOption, UsageError, type Values } from './options.js'

/** `done`: the answer is there. `badAnswer`: it is there and says no. `badCall`: the command could not start. */
export const EXIT = { done: 0, badAnswer: 1, badCall: 2, interrupted: 130 } as const

/** One verb: what the dispatcher needs to know of it. */
export interface Command {
  readonly summary: string
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
  readonly examples: readonly (readonly [call: string, what: string])[]
  /** What the exit codes mean for this verb. */
  readonly exits: string
  run(values: Values<O>, host: Host, operands: readonly string[]): Promise<number>
}

export function defineCommand<O extends Options>(definition: CommandDefinition<O>): Command {
  const { name, summary, operands, options, examples, exits } = definition
  const shown: Options = { ...options, help: switchOption('show this') }
  return {
    summary,
    nameOf: () => name,
    help() {
      const calls = examples.map(([call, what]) => `  ${call}\n      ${what}`)
      const usage = `trimtab ${name} ${operands ? `${operands} ` : ''}[options]`
      return `${summary}\n\nUsage: ${usage}\n\nOptions:\n${helpOfOptions(shown)}\n\nExamples:\n${calls.join('\n')}\n\n${exits}\n`
    },
    execute(argv, host) {
      const call = readCall(options, argv, operands)
      return definition.run(call.values, host, call.operands)
    },
  }
}

export interface GroupDefinition {
  readonly name: string
  readonly summary: string
  readonly commands: Readonly<Record<string, () => Promise<Command>>>
  readonly examples: readonly (readonly [call: string, what: string])[]
  /** What the name does without one of its verbs; it takes options only. */
  readonly itself?: () => Promise<Command>
}

/** A verb with verbs of its own, each loaded on demand. */
export function defineGroup({ name, summary, commands, examples, itself }: GroupDefinition): Command {
  const names = Object.keys(commands)
  const find = (word: string | undefined) =>
    word !== undefined && Object.hasOwn(commands, word) ? commands[word] : undefined
  return {
    summary,
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
    async execute([word, ...rest], host) {
      const load = find(word)
      if (load) return (await load()).execute(rest, host)
      if (itself && (word === undefined || word.startsWith('-')))
        return (await itself()).execute(word === undefined ? [] : [word, ...rest], host)
      throw new UsageError(
        word === undefined
          ? `${name}: a command is missing: ${names.join(', ')}`
          : `${name}: unknown command ${JSON.stringify(word)}${suggestion(word, names, '') || `: one of ${names.join(', ')}`}`,
      )
    },
  }
}

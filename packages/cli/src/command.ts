import type { Host } from './host.js'
import { helpOfOptions, type Options, readOptions, switchOption, type Values } from './options.js'

/** `done`: the answer is there. `badAnswer`: it is there and says no. `badCall`: the command could not start. */
export const EXIT = { done: 0, badAnswer: 1, badCall: 2, interrupted: 130 } as const

/** One verb: what the dispatcher needs to know of it. */
export interface Command {
  readonly summary: string
  help(): string
  /** @returns the exit code */
  execute(argv: readonly string[], host: Host): Promise<number>
}

export interface CommandDefinition<O extends Options> {
  readonly name: string
  readonly summary: string
  readonly options: O
  readonly examples: readonly (readonly [call: string, what: string])[]
  /** What the exit codes mean for this verb. */
  readonly exits: string
  run(values: Values<O>, host: Host): Promise<number>
}

export function defineCommand<O extends Options>(definition: CommandDefinition<O>): Command {
  const { name, summary, options, examples, exits } = definition
  const shown: Options = { ...options, help: switchOption('show this') }
  return {
    summary,
    help() {
      const calls = examples.map(([call, what]) => `  ${call}\n      ${what}`)
      return `${summary}\n\nUsage: trimtab ${name} [options]\n\nOptions:\n${helpOfOptions(shown)}\n\nExamples:\n${calls.join('\n')}\n\n${exits}\n`
    },
    execute: (argv, host) => definition.run(readOptions(options, argv), host),
  }
}

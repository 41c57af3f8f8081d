import { type Command, defineCommand, defineGroup, EXIT, type Outline } from '../command.js'
import { bashScript, fishScript, zshScript } from '../completion/scripts.js'

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript }

type Verbs = Readonly<Record<string, () => Promise<Command>>>

/** @param verbs  all of the command's, which its scripts complete */
export function createCompletion(verbs: Verbs): Command {
  const commandOf = (shell: keyof typeof SHELLS): Command =>
    defineCommand({
      name: `completion ${shell}`,
      summary: `The script for ${shell}; its first comment says where it goes`,
      options: {},
      examples: [[`trimtab completion ${shell}`, 'prints it; nothing is changed']],
      exits: 'Exit: 0 done, 2 the call is bad.',
      async run(_, host) {
        host.stdout.write(SHELLS[shell](await outlineOf(verbs)))
        return EXIT.done
      },
    })
  return defineGroup({
    name: 'completion',
    summary: 'Scripts by which bash, zsh and fish complete commands and options',
    commands: {
      bash: async () => commandOf('bash'),
      zsh: async () => commandOf('zsh'),
      fish: async () => commandOf('fish'),
    },
    examples: [['trimtab completion bash >> ~/.bashrc', 'in every new shell; zsh and fish: in the first comment']],
  })
}

async function outlineOf(verbs: Verbs): Promise<Outline> {
  const outlines = Object.entries(verbs).map(async ([name, load]) => [name, await (await load()).outline()])
  const commands = Object.fromEntries(await Promise.all(outlines))
  return { summary: '', examples: [], options: ['help', 'version'], commands }
}

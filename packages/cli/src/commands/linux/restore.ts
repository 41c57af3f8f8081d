import { printable } from '@trimtab/core/text'
import { restoreLinux } from '@trimtab/linux'
import { type Command, defineCommand, EXIT } from '../../command.js'
import { stateOption } from '../../limits/state.js'
import { switchOption } from '../../options.js'

export const restore: Command = defineCommand({
  name: 'linux restore',
  summary: 'Undo what processes changed that were killed: limits, groups, queues of network devices',
  options: { state: stateOption, json: switchOption('print the outcomes as JSON') },
  examples: [
    ['trimtab linux restore', 'after a crash; the next process that sets limits does the same'],
    ['ExecStopPost=/usr/bin/trimtab linux restore', 'in the unit of a service: runs even after SIGKILL'],
  ],
  exits:
    'Exit: 0 nothing of the dead is left, 1 something could not be undone, or a process sets limits now, 2 the call is bad.',
  async run({ state, json }, host) {
    const outcomes = restoreLinux(state === undefined ? {} : { stateFolder: state })
    const problems = outcomes.flatMap(({ errors }) => errors.map(({ message }) => message))
    if (json)
      host.stdout.write(
        `${JSON.stringify(outcomes.map(({ errors, ...one }) => ({ ...one, problems: errors.map(({ message }) => message) })))}\n`,
      )
    else if (outcomes.length === 0) host.stdout.write('nothing was left\n')
    else for (const { message } of outcomes) host.stdout.write(`${printable(message)}\n`)
    return problems.length > 0 ? EXIT.badAnswer : EXIT.done
  },
})

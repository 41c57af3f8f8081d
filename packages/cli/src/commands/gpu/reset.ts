import { printable } from '@trimtab/core/text'
import { restoreAll } from '@trimtab/nvml'
import { type Command, defineCommand, EXIT } from '../../command.js'
import { commonOptions, leaseFoldersOf, withNvml } from '../../gpu/open.js'
import { switchOption } from '../../options.js'

export const reset: Command = defineCommand({
  name: 'gpu reset',
  summary: 'Give back the clocks that processes left locked when they were killed; leaves the others alone',
  options: { ...commonOptions, json: switchOption('print the outcomes as JSON') },
  examples: [
    ['trimtab gpu reset', 'after a crash; the next trimtab gpu run does the same for its GPU'],
    ['ExecStopPost=/usr/bin/trimtab gpu reset', 'in the unit of a service: runs even after SIGKILL'],
  ],
  exits: 'Exit: 0 nothing is left locked by the dead, 1 something could not be given back, 2 the call is bad.',
  run: ({ library, leases, json }, host) =>
    withNvml(library, host, (nvml) => {
      const outcomes = restoreAll(nvml, leaseFoldersOf(leases)).map(({ lease, state, error }) => ({
        ...{ gpu: lease.gpu, pid: lease.pid, command: lease.command, lockedMhz: lease.lockedMhz, state },
        problem: error?.message,
      }))
      if (json) host.stdout.write(`${JSON.stringify(outcomes)}\n`)
      else if (outcomes.length === 0) host.stdout.write('nothing was left locked\n')
      for (const { gpu, pid, command, lockedMhz, state, problem } of json ? [] : outcomes) {
        const at = lockedMhz === undefined ? 'not locked' : `${lockedMhz} MHz`
        const what =
          state === 'held' ? 'still driven' : state === 'restored' ? 'given back' : `NOT given back: ${problem}`
        host.stdout.write(`${gpu}: ${what} (${at}, process ${pid}, ${printable(command)})\n`)
      }
      return outcomes.some(({ state }) => state === 'failed') ? EXIT.badAnswer : EXIT.done
    }),
})

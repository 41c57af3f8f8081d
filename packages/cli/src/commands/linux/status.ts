import { printable } from '@trimtab/core/text'
import { type LinuxStatus, readStatus, thisMachine } from '@trimtab/linux'
import { type Command, defineCommand, EXIT } from '../../command.js'
import type { Host } from '../../host.js'
import { stateFoldersOf, stateOption } from '../../limits/state.js'
import { formatSize, switchOption } from '../../options.js'
import { type Column, createPaint, formatTable } from '../../terminal.js'

const COLUMNS: readonly Column[] = [
  { title: 'What', align: 'left' },
  { title: 'Here', align: 'left' },
  { title: 'May be set', align: 'left' },
]

export const status: Command = defineCommand({
  name: 'linux status',
  summary: 'What of this machine can be limited and seen, who does it, and what is missing; changes nothing',
  options: { state: stateOption, json: switchOption('print the status as JSON') },
  examples: [
    ['trimtab linux status', 'for people'],
    ['trimtab linux status --json | jq -r .missing[]', 'for programs'],
  ],
  exits: 'Exit: 0 CPU can be limited here, by cgroups or without, 1 it cannot, 2 the call is bad.',
  async run({ state, json }, host) {
    const found = readStatus(thisMachine, stateFoldersOf(state))
    if (json) host.stdout.write(`${JSON.stringify(found)}\n`)
    else show(host, found)
    const canLimit =
      found.hasSchedstat || found.controllers.some(({ controller, isWritable }) => controller === 'cpu' && isWritable)
    return canLimit ? EXIT.done : EXIT.badAnswer
  },
})

const yes = (holds: boolean): string => (holds ? 'yes' : 'no')

function show(
  host: Host,
  { inventory, controllers, cache, network, pressure, hasSchedstat, journals, missing }: LinuxStatus,
): void {
  const paint = createPaint(host.stdout, host.env)
  const rows = [
    ...controllers.map(({ controller, version, isWritable }) => [
      `cgroup ${controller}`,
      version === undefined ? 'no' : `version ${version}`,
      yes(isWritable),
    ]),
    ['resctrl', cache ? `${cache.L3?.ways ?? 'no'} ways, ${cache.groups} groups` : 'no', yes(cache !== undefined)],
    ['network (HTB)', yes(network !== 'missing'), yes(network === 'writable')],
    ['pressure (PSI)', pressure.join(', ') || 'no', '–'],
    ['times of tasks', yes(hasSchedstat), '–'],
  ]
  const { threads, memoryBytes, disks, networks } = inventory
  const disksHere = disks.map(({ name, device }) => `${name} (${device})`).join(', ')
  host.stdout.write(
    `${paint.dim(`${threads.length} threads, ${formatSize(memoryBytes)}; disks ${disksHere}; network ${networks.join(', ')}`)}\n`,
  )
  host.stdout.write(`${formatTable(COLUMNS, rows, paint)}\n`)
  for (const { pid, command, since, owner } of journals) {
    const what = owner === 'dead' ? 'died and left limits: trimtab linux restore' : `sets limits here since ${since}`
    host.stdout.write(`process ${pid} (${printable(command)}) ${what}\n`)
  }
  for (const one of missing) host.stdout.write(`missing: ${printable(one)}\n`)
}

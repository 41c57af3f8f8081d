import { printable } from '@trimtab/core/text'
import { type GpuDescription, type LeaseRecord, listGpus, readLeases } from '@trimtab/nvml'
import { type Command, defineCommand, EXIT } from '../../command.js'
import { gibibytes, ofTotal, remarksOf, whole } from '../../gpu/format.js'
import { commonOptions, leaseFoldersOf, withNvml } from '../../gpu/open.js'
import type { Host } from '../../host.js'
import { switchOption } from '../../options.js'
import { type Column, createPaint, formatTable } from '../../terminal.js'

const COLUMNS: readonly Column[] = [
  { title: '#', align: 'right' },
  { title: 'UUID', align: 'left' },
  { title: 'Name', align: 'left' },
  { title: 'Clock', align: 'right' },
  { title: 'Lockable', align: 'right' },
  { title: 'Power', align: 'right' },
  { title: 'Memory', align: 'right' },
]

export const list: Command = defineCommand({
  name: 'gpu list',
  summary: 'Which NVIDIA GPUs there are, what can be done with them, and who does it',
  options: { ...commonOptions, json: switchOption('print { driver, gpus, lost } as JSON') },
  examples: [
    ['trimtab gpu list', 'for people'],
    ['trimtab gpu list --json | jq -r .gpus[].uuid', 'for programs'],
  ],
  exits: 'Exit: 0 there are GPUs, 1 there are none that can be talked to, 2 the call is bad.',
  run: ({ library, leases, json }, host) =>
    withNvml(library, host, (nvml) => {
      const lost: string[] = []
      const gpus = listGpus(nvml, (error) => lost.push(error.message)).map((one) => one.describe())
      const found = readLeases(leaseFoldersOf(leases))
      const driver = nvml.driverVersion()
      if (json)
        host.stdout.write(`${JSON.stringify({ driver, gpus: gpus.map((one) => withLeases(one, found)), lost })}\n`)
      else show(host, driver, gpus, found)
      for (const message of lost) host.stderr.write(`trimtab: ${printable(message)}\n`)
      if (gpus.length === 0 && lost.length === 0) host.stderr.write(`trimtab: driver ${driver} found no GPU\n`)
      return gpus.length > 0 ? EXIT.done : EXIT.badAnswer
    }),
})

const withLeases = (gpu: GpuDescription, leases: readonly LeaseRecord[]) => ({
  ...gpu,
  leases: leases
    .filter((lease) => lease.gpu === gpu.uuid)
    .map(({ pid, command, since, lockedMhz, owner }) => ({ pid, command, since, lockedMhz, owner })),
})

function show(host: Host, driver: string, gpus: readonly GpuDescription[], leases: readonly LeaseRecord[]): void {
  const paint = createPaint(host.stdout, host.env)
  const rows = gpus.map((gpu) => [
    whole(gpu.index),
    gpu.uuid,
    gpu.name,
    whole(gpu.clockMhz, ' MHz'),
    gpu.minClockMhz === undefined ? '–' : `${gpu.minClockMhz} … ${whole(gpu.maxClockMhz, ' MHz')}`,
    ofTotal(gpu.powerWatts, gpu.powerLimitWatts, 'W'),
    ofTotal(gibibytes(gpu.memoryUsedBytes), gibibytes(gpu.memoryTotalBytes), 'GiB'),
  ])
  const remarks = gpus.flatMap((gpu) => remarksOf(gpu, leases).map((remark) => `${gpu.uuid}: ${remark}`))
  host.stdout.write(`${paint.dim(`driver ${driver}`)}\n${formatTable(COLUMNS, rows, paint)}\n`)
  for (const remark of remarks) host.stdout.write(`${printable(remark)}\n`)
}

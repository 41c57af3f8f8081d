import { type Limits, takeInventory, thisMachine } from '@trimtab/linux'
import { type Command, defineCommand, EXIT } from '../../command.js'
import { describeLimits, holdByCgroups, holdBySignals, planLimits } from '../../limits/hold.js'
import { stateOption } from '../../limits/state.js'
import {
  choiceOption,
  numberOption,
  repeatedOption,
  sizeOption,
  switchOption,
  textOption,
  UsageError,
} from '../../options.js'

const LARGEST_PID = 2 ** 22

export const limit: Command = defineCommand({
  name: 'linux limit',
  summary: 'Limit processes until Ctrl-C, or until they have ended; everything is as before then',
  options: {
    pid: repeatedOption('N', 'a process, with all its threads'),
    cpu: numberOption('cores: 0.5 is half a thread', undefined, { min: 0.001, max: 100_000, fraction: true }),
    shares: numberOption('weight of CPU against others; 1024 are usual', undefined, { min: 2, max: 262_144 }),
    memory: sizeOption('memory, beyond which processes are killed', undefined),
    'memory-high': sizeOption('memory, beyond which the kernel takes it back', undefined),
    disk: textOption('NAME', 'the disk that --read and --write are about, as trimtab linux status shows it', undefined),
    read: sizeOption('bytes a second read from it', undefined),
    write: sizeOption('bytes a second written to it', undefined),
    by: choiceOption(
      'control groups, or stopping and continuing (CPU only; each process for itself)',
      ['cgroups', 'signals'],
      'cgroups',
    ),
    state: stateOption,
    'dry-run': switchOption('say what would be in force; change nothing'),
    json: switchOption('print a line of JSON for each event'),
  },
  examples: [
    ['trimtab linux limit --pid 4711 --cpu 0.5 --memory 512MiB', 'as root, or where cgroups may be written'],
    ['trimtab linux limit --pid 4711 --cpu 0.25 --by signals', "a process of one's own, without any permission"],
    ['trimtab linux limit --pid 4711 --disk vda --write 10MiB --dry-run', 'what would be in force'],
  ],
  exits: 'Exit: 0 the limits were held to the end, 1 they cannot be set or undone, 2 the call is bad.',
  async run(options, host) {
    const { by, state, json } = options
    const pids = options.pid.map(Number)
    const problems = [
      ...(pids.length === 0 ? ['--pid N is needed: which process is to be limited'] : []),
      ...pids.flatMap((pid, i) =>
        Number.isSafeInteger(pid) && pid > 1 && pid <= LARGEST_PID
          ? []
          : [`--pid must be the number of a process, got ${options.pid[i]}`],
      ),
      ...((options.read ?? options.write) !== undefined && options.disk === undefined
        ? ['--read and --write need --disk NAME']
        : []),
    ]
    const limits = limitsOf(options)
    if (Object.keys(limits).length === 0)
      problems.push('a limit is needed: --cpu, --shares, --memory, --memory-high, or --disk with --read or --write')
    const others = Object.keys(limits).filter((name) => name !== 'cpuCores')
    if (by === 'signals' && others.length > 0) problems.push(`--by signals holds --cpu only, not ${others.join(', ')}`)
    if (problems.length > 0) throw new UsageError(problems.join('\n'))

    const say = (event: string, fields: object, text: string) =>
      host.stdout.write(json ? `${JSON.stringify({ event, ...fields })}\n` : `${text}\n`)
    const planned = planLimits(limits)
    if (options['dry-run']) {
      say('planned', planned, describeLimits(planned))
      return EXIT.done
    }
    const onNotice = (message: string) => host.stderr.write(`trimtab: ${message}\n`)
    const hold = by === 'cgroups' ? holdByCgroups : holdBySignals
    return await hold({ pids, limits, stateFolder: state, onNotice, say }, host)
  },
})

interface Wanted {
  readonly cpu: number | undefined
  readonly shares: number | undefined
  readonly memory: number | undefined
  readonly 'memory-high': number | undefined
  readonly disk: string | undefined
  readonly read: number | undefined
  readonly write: number | undefined
}

function limitsOf({ cpu, shares, memory, 'memory-high': memoryHigh, disk, read, write }: Wanted): Limits {
  const hasDisk = disk !== undefined && (read ?? write) !== undefined
  return {
    ...(cpu !== undefined && { cpuCores: cpu }),
    ...(shares !== undefined && { cpuShares: shares }),
    ...(memory !== undefined && { memoryBytes: memory }),
    ...(memoryHigh !== undefined && { memoryHighBytes: memoryHigh }),
    ...(hasDisk && {
      disks: [
        {
          device: takeInventory(thisMachine).disks.find(({ name }) => name === disk)?.device ?? disk,
          ...(read !== undefined && { readBytesPerSecond: read }),
          ...(write !== undefined && { writeBytesPerSecond: write }),
        },
      ],
    }),
  }
}

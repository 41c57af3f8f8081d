import { type Limits, parseNumberList, takeInventory, thisMachine } from '@trimtab/linux'
import { type Command, defineCommand, EXIT } from '../../command.js'
import { describeHeld, type Held, holdByCgroups, holdBySignals, planLimits } from '../../limits/hold.js'
import { stateOption } from '../../limits/state.js'
import {
  choiceOption,
  numberOption,
  repeatedOption,
  sizeOption,
  switchOption,
  textOption,
  UsageError,
  type Values,
} from '../../options.js'

const LARGEST_PID = 2 ** 22
const NUMBER_LIST = /^\d+(-\d+)?(,\d+(-\d+)?)*$/

const options = {
  pid: repeatedOption('N', 'a process, with all its threads'),
  cpu: numberOption('cores: 0.5 is half a thread', undefined, { min: 0.001, max: 100_000, fraction: true }),
  shares: numberOption('weight of CPU against others; 1024 are usual', undefined, { min: 2, max: 262_144 }),
  cpus: textOption('LIST', 'threads by number: 0-1,4', undefined),
  memory: sizeOption('memory, beyond which processes are killed', undefined),
  'memory-high': sizeOption('memory, beyond which the kernel takes it back', undefined),
  disk: textOption('NAME', 'the disk that --read and --write are about, as trimtab linux status shows it', undefined),
  read: sizeOption('bytes a second read from it', undefined),
  write: sizeOption('bytes a second written to it', undefined),
  'cache-ways': numberOption('ways of the last-level cache, of its own (resctrl)', undefined, { min: 1, max: 64 }),
  'memory-bandwidth': numberOption('percent of the memory bandwidth (resctrl)', undefined, { min: 1, max: 100 }),
  device: textOption('NAME', 'the network device that --egress and --ingress are about, of all processes', undefined),
  egress: sizeOption('bytes a second that leave by it', undefined),
  ingress: sizeOption('bytes a second that come in by it', undefined),
  by: choiceOption(
    'control groups, or stopping and continuing (CPU only; each process for itself)',
    ['cgroups', 'signals'],
    'cgroups',
  ),
  state: stateOption,
  'dry-run': switchOption('say what would be in force; change nothing'),
  json: switchOption('print a line of JSON for each event'),
}

export const limit: Command = defineCommand({
  name: 'linux limit',
  summary: 'Limit processes until Ctrl-C, or until they have ended; everything is as before then',
  options,
  examples: [
    ['trimtab linux limit --pid 4711 --cpu 0.5 --memory 512MiB', 'as root, or where cgroups may be written'],
    ['trimtab linux limit --pid 4711 --cpu 0.25 --by signals', "a process of one's own, without any permission"],
    ['trimtab linux limit --pid 4711 --disk vda --write 10MiB --dry-run', 'what would be in force'],
    ['trimtab linux limit --device eth0 --egress 10MiB', 'a network device, whoever uses it'],
  ],
  exits: 'Exit: 0 the limits were held to the end, 1 they cannot be set or undone, 2 the call is bad.',
  async run(values, host) {
    const { by, state, json } = values
    const pids = values.pid.map(Number)
    const held = heldOf(values)
    const { limits, cache, network } = held
    const isOfProcesses = Object.keys(limits).length > 0 || cache !== undefined
    const problems = [
      ...(pids.length === 0 && (isOfProcesses || !network)
        ? ['--pid N is needed: which process is to be limited']
        : []),
      ...pids.flatMap((pid, i) =>
        Number.isSafeInteger(pid) && pid > 1 && pid <= LARGEST_PID
          ? []
          : [`--pid must be the number of a process, got ${values.pid[i]}`],
      ),
      ...((values.read ?? values.write) !== undefined && values.disk === undefined
        ? ['--read and --write need --disk NAME']
        : []),
      ...((values.egress ?? values.ingress) !== undefined && values.device === undefined
        ? ['--egress and --ingress need --device NAME']
        : []),
      ...(values.disk !== undefined && (values.read ?? values.write) === undefined
        ? ['--disk needs --read or --write: how much of it']
        : []),
      ...(values.device !== undefined && (values.egress ?? values.ingress) === undefined
        ? ['--device needs --egress or --ingress: how much of it']
        : []),
      ...(values.cpus !== undefined && !NUMBER_LIST.test(values.cpus)
        ? [`--cpus must be like 0-1,4, got ${values.cpus}`]
        : []),
    ]
    if (!isOfProcesses && !network)
      problems.push(
        'a limit is needed: --cpu, --shares, --cpus, --memory, --memory-high, --cache-ways, --memory-bandwidth, --disk with --read or --write, or --device with --egress or --ingress',
      )
    const others = Object.keys({ ...limits, ...cache, ...network?.limits }).filter((name) => name !== 'cpuCores')
    if (by === 'signals' && others.length > 0) problems.push(`--by signals holds --cpu only, not ${others.join(', ')}`)
    if (problems.length > 0) throw new UsageError(problems.join('\n'))

    const say = (event: string, fields: object, text: string) =>
      host.stdout.write(json ? `${JSON.stringify({ event, ...fields })}\n` : `${text}\n`)
    const planned = planLimits(limits)
    if (values['dry-run']) {
      const plan = { ...held, limits: planned.limits }
      say('planned', { ...planned, ...plan }, describeHeld(plan, planned.reasons))
      return EXIT.done
    }
    const onNotice = (message: string) => host.stderr.write(`trimtab: ${message}\n`)
    const hold = by === 'cgroups' ? holdByCgroups : holdBySignals
    return await hold({ pids, held, stateFolder: state, onNotice, say }, host)
  },
})

/** What the options ask for. */
function heldOf(values: Values<typeof options>): Held {
  const { device, egress, ingress, 'cache-ways': cacheWays, 'memory-bandwidth': memoryBandwidthPercent } = values
  const hasCache = (cacheWays ?? memoryBandwidthPercent) !== undefined
  return {
    limits: limitsOf(values),
    ...(hasCache && {
      cache: {
        ...(cacheWays !== undefined && { cacheWays }),
        ...(memoryBandwidthPercent !== undefined && { memoryBandwidthPercent }),
      },
    }),
    ...(device !== undefined &&
      (egress ?? ingress) !== undefined && {
        network: {
          device,
          limits: {
            ...(egress !== undefined && { egressBytesPerSecond: egress }),
            ...(ingress !== undefined && { ingressBytesPerSecond: ingress }),
          },
        },
      }),
  }
}

function limitsOf(values: Values<typeof options>): Limits {
  const { cpu, shares, cpus, memory, 'memory-high': memoryHigh, disk, read, write } = values
  const hasDisk = disk !== undefined && (read ?? write) !== undefined
  return {
    ...(cpu !== undefined && { cpuCores: cpu }),
    ...(shares !== undefined && { cpuShares: shares }),
    ...(cpus !== undefined && { cpuSet: parseNumberList(cpus) }),
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

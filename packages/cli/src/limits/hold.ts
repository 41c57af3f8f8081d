// Holds limits of processes to the end: of the processes, or of the command.
import {
  CpuLimiter,
  type Fitted,
  fitToNode,
  LEAST,
  type Limits,
  LinuxNode,
  takeInventory,
  thisMachine,
} from '@trimtab/linux'
import { startTimeOf } from '@trimtab/node/files'
import { EXIT } from '../command.js'
import type { Host } from '../host.js'
import { formatSize } from '../options.js'

export interface Holding {
  readonly pids: readonly number[]
  readonly limits: Limits
  readonly stateFolder: string | undefined
  readonly onNotice: (message: string) => void
  /** Tells what happened, for programs and for people. */
  readonly say: (event: string, fields: object, text: string) => void
}

const LOOK_MS = 200

/** What this node could give, with nobody else there. */
export const planLimits = (limits: Limits): Fitted =>
  fitToNode(limits, { inventory: takeInventory(thisMachine), others: [], least: LEAST })

/** In one line. */
export function describeLimits({ limits, reasons }: Pick<Fitted, 'limits' | 'reasons'>): string {
  const { cpuCores, cpuShares, memoryBytes, memoryHighBytes, disks = [] } = limits
  const size = (bytes: number) => (bytes === Number.POSITIVE_INFINITY ? 'no limit' : formatSize(bytes))
  const parts = [
    ...(cpuCores === undefined
      ? []
      : [`CPU ${cpuCores === Number.POSITIVE_INFINITY ? 'no limit' : `${cpuCores} cores`}`]),
    ...(cpuShares === undefined ? [] : [`shares ${cpuShares}`]),
    ...(memoryBytes === undefined ? [] : [`memory ${size(memoryBytes)}`]),
    ...(memoryHighBytes === undefined ? [] : [`memory high ${size(memoryHighBytes)}`]),
    ...disks.flatMap(({ device, readBytesPerSecond, writeBytesPerSecond }) => [
      ...(readBytesPerSecond === undefined ? [] : [`disk ${device} reads ${size(readBytesPerSecond)}/s`]),
      ...(writeBytesPerSecond === undefined ? [] : [`disk ${device} writes ${size(writeBytesPerSecond)}/s`]),
    ]),
  ]
  return [parts.join(', '), ...reasons].join('\n')
}

/** In a control group of their own. */
export async function holdByCgroups(
  { pids, limits, stateFolder, onNotice, say }: Holding,
  host: Host,
): Promise<number> {
  const { signal } = host
  const node = LinuxNode.open({ onNotice, ...(stateFolder !== undefined && { stateFolder }) })
  try {
    const group = node.group('limit')
    const { inForce, scale, reasons } = group.set(limits)
    for (const pid of pids) group.join(pid)
    say(
      'limited',
      { by: 'cgroups', pids, limits: inForce, scale, reasons },
      describeLimits({ limits: inForce, reasons }),
    )
    await untilTheEnd(pids, host, signal)
    say('ended', { usage: group.usage }, `used ${(group.usage.cpuMicroseconds / 1e6).toFixed(1)} s of CPU`)
  } finally {
    node.dispose()
  }
  return node.isDisposed ? EXIT.done : EXIT.badAnswer
}

/** By stopping and continuing each. */
export async function holdBySignals({ pids, limits, onNotice, say }: Holding, host: Host): Promise<number> {
  const { signal } = host
  const limiter = new CpuLimiter({ onNotice })
  try {
    for (const pid of pids) await limiter.set(pid, limits.cpuCores!)
    say('limited', { by: 'signals', pids, limits }, describeLimits({ limits, reasons: [] }))
    await untilTheEnd(pids, host, signal)
    say('ended', {}, 'let go')
  } finally {
    limiter.dispose()
  }
  return EXIT.done
}

async function untilTheEnd(pids: readonly number[], host: Host, signal: AbortSignal): Promise<void> {
  const starts = pids.map((pid) => startTimeOf(pid))
  const isThere = () => pids.some((pid, i) => starts[i] !== undefined && startTimeOf(pid) === starts[i])
  while (!signal.aborted && isThere()) await host.wait(LOOK_MS, signal)
}

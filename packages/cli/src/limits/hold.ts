// Holds limits of processes to the end: of the processes, or of the command.
import {
  type CacheLimits,
  CpuLimiter,
  type Fitted,
  fitToNode,
  LEAST,
  type Limits,
  LinuxNode,
  type NetworkLimits,
  takeInventory,
  thisMachine,
} from '@trimtab/linux'
import { startTimeOf } from '@trimtab/node/files'
import { EXIT } from '../command.js'
import type { Host } from '../host.js'
import { formatSize } from '../options.js'

/** What is held, or in force. */
export interface Held {
  /** Of processes. */
  readonly limits: Limits
  /** Of processes. */
  readonly cache?: CacheLimits
  /** Of a device, whoever uses it. */
  readonly network?: { readonly device: string; readonly limits: NetworkLimits }
}

export interface Holding {
  /** May be none where only a network device is held. */
  readonly pids: readonly number[]
  readonly held: Held
  readonly stateFolder: string | undefined
  readonly onNotice: (message: string) => void
  /** Tells what happened, for programs and for people. */
  readonly say: (event: string, fields: object, text: string) => void
}

const LOOK_MS = 200

/** What this node could give, with nobody else there. */
export const planLimits = (limits: Limits): Fitted =>
  fitToNode(limits, { inventory: takeInventory(thisMachine), others: [], least: LEAST })

const sizeText = (bytes: number): string => (bytes === Number.POSITIVE_INFINITY ? 'no limit' : formatSize(bytes))
const rateText = (bytes: number): string => (bytes === Number.POSITIVE_INFINITY ? 'no limit' : `${formatSize(bytes)}/s`)

/** In one line, what was moved below. */
export function describeHeld({ limits, cache, network }: Held, reasons: readonly string[]): string {
  const { cpuCores, cpuShares, cpuSet, memoryBytes, memoryHighBytes, disks = [] } = limits
  const part = (value: unknown, text: string): string[] => (value === undefined ? [] : [text])
  const { cacheWays, memoryBandwidthPercent } = cache ?? {}
  const { egressBytesPerSecond: egress, ingressBytesPerSecond: ingress } = network?.limits ?? {}
  const parts = [
    ...part(cpuCores, `CPU ${cpuCores === Number.POSITIVE_INFINITY ? 'no limit' : `${cpuCores} cores`}`),
    ...part(cpuShares, `shares ${cpuShares}`),
    ...part(cpuSet, `threads ${cpuSet?.join(', ')}`),
    ...part(memoryBytes, `memory ${sizeText(memoryBytes!)}`),
    ...part(memoryHighBytes, `memory high ${sizeText(memoryHighBytes!)}`),
    ...disks.flatMap(({ device, readBytesPerSecond: read, writeBytesPerSecond: write }) => [
      ...part(read, `disk ${device} reads ${rateText(read!)}`),
      ...part(write, `disk ${device} writes ${rateText(write!)}`),
    ]),
    ...part(cacheWays, `cache ${cacheWays} ways`),
    ...part(memoryBandwidthPercent, `memory bandwidth ${memoryBandwidthPercent} %`),
    ...part(egress, `${network?.device} out ${rateText(egress!)}`),
    ...part(ingress, `${network?.device} in ${rateText(ingress!)}`),
  ]
  return [parts.join(', '), ...reasons].join('\n')
}

/** In a control group of their own, a group of the cache, and the queues of a network device. */
export async function holdByCgroups({ pids, held, stateFolder, onNotice, say }: Holding, host: Host): Promise<number> {
  const { signal } = host
  const { limits, cache, network } = held
  const node = LinuxNode.open({ onNotice, ...(stateFolder !== undefined && { stateFolder }) })
  try {
    const group = Object.keys(limits).length > 0 ? node.group('limit') : undefined
    const set = group?.set(limits)
    const cacheGroup = cache && node.cacheGroup('limit')
    const cacheSet = cacheGroup?.set(cache!)
    for (const pid of pids) {
      group?.join(pid)
      cacheGroup?.join(pid)
    }
    const inForce: Held = {
      limits: set?.inForce ?? {},
      ...(cacheSet && { cache: cacheSet.inForce }),
      ...(network && {
        network: { device: network.device, limits: node.network(network.device).set(network.limits) },
      }),
    }
    const reasons = [...(set?.reasons ?? []), ...(cacheSet?.reasons ?? [])]
    const scales = [set?.scale, cacheSet?.scale]
    const scale = scales.includes('out') ? 'out' : scales.includes('in') ? 'in' : 'none'
    say('limited', { by: 'cgroups', pids, ...inForce, scale, reasons }, describeHeld(inForce, reasons))
    await untilTheEnd(pids, host, signal)
    if (group) say('ended', { usage: group.usage }, `used ${(group.usage.cpuMicroseconds / 1e6).toFixed(1)} s of CPU`)
    else say('ended', {}, 'let go')
  } finally {
    node.dispose()
  }
  return node.isDisposed ? EXIT.done : EXIT.badAnswer
}

/** By stopping and continuing each. */
export async function holdBySignals({ pids, held, onNotice, say }: Holding, host: Host): Promise<number> {
  const { signal } = host
  const { limits } = held
  const limiter = new CpuLimiter({ onNotice })
  try {
    for (const pid of pids) await limiter.set(pid, limits.cpuCores!)
    say('limited', { by: 'signals', pids, limits }, describeHeld(held, []))
    await untilTheEnd(pids, host, signal)
    say('ended', {}, 'let go')
  } finally {
    limiter.dispose()
  }
  return EXIT.done
}

/** Of the processes, or until it is told to stop. */
async function untilTheEnd(pids: readonly number[], host: Host, signal: AbortSignal): Promise<void> {
  const starts = pids.map((pid) => startTimeOf(pid))
  const isThere = () => pids.length === 0 || pids.some((pid, i) => starts[i] && startTimeOf(pid) === starts[i])
  while (!signal.aborted && isThere()) await host.wait(LOOK_MS, signal)
}

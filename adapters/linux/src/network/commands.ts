// What is told to `tc` and `ip` (iproute2): classes of HTB hold egress; ingress goes through a device of kind ifb, whose egress is held.
// Source: tc-htb(8), tc-mirred(8).
import { spawnSync } from 'node:child_process'
import { AdapterError } from '@trimtab/core'

/** A network device, in a namespace by name (empty: this process's), and the ifb that stands before it. */
export interface ShapedDevice {
  readonly device: string
  readonly namespace: string
  readonly ifb: string
}

/**
 * Runs a tool of iproute2.
 * @returns what it printed
 * @throws {AdapterError} `linux_unsupported`: it is not installed; `linux_forbidden`; `linux_gone`; `linux_refused`
 */
export function run(command: 'tc' | 'ip', args: readonly string[], namespace: string): string {
  const inside = namespace === '' ? [command, ...args] : ['ip', 'netns', 'exec', namespace, command, ...args]
  const { stdout, stderr, status, error } = spawnSync(inside[0]!, inside.slice(1), { encoding: 'utf8' })
  if (error) throw new AdapterError('linux_unsupported', `${command} is not here: install iproute2`, { cause: error })
  if (status === 0) return stdout
  const why = stderr.trim()
  const code = /not permitted|denied/i.test(why)
    ? 'linux_forbidden'
    : /Cannot find device|does not exist|Cannot open network namespace/i.test(why)
      ? 'linux_gone'
      : 'linux_refused'
  throw new AdapterError(code, `${inside.join(' ')}: ${why}`)
}

interface Queue {
  readonly kind: string
  readonly handle: string
  readonly root?: boolean
}

/** The queueing disciplines of a device that somebody has chosen; those that the kernel chose have no handle. */
export const chosenQueues = (device: string, namespace: string): Queue[] =>
  (JSON.parse(run('tc', ['-j', 'qdisc', 'show', 'dev', device], namespace)) as Queue[]).filter(
    ({ handle }) => handle !== '0:',
  )

/** Whether such a queue was chosen for a device. */
const has = (kind: string, device: string, namespace: string): boolean =>
  chosenQueues(device, namespace).some((queue) => queue.kind === kind)

/** Whether what comes in at a device goes through another one. */
export const isRedirected = (device: string, namespace: string): boolean => has('ingress', device, namespace)

/** One class that holds everything. Set again, it changes the rate only. */
export function holdEgress(device: string, namespace: string, bytesPerSecond: number): void {
  const tc = (...args: string[]) => run('tc', args, namespace)
  const rate = `${Math.floor(bytesPerSecond)}bps` // bytes, in tc's language
  if (!has('htb', device, namespace)) tc('qdisc', 'add', 'dev', device, 'root', 'handle', '1:', 'htb', 'default', '1')
  tc('class', 'replace', 'dev', device, 'parent', '1:', 'classid', '1:1', 'htb', 'rate', rate, 'ceil', rate)
}

/** Sends what comes in at a device through its ifb. */
export function redirectIngress({ device, namespace, ifb }: ShapedDevice): void {
  const tc = (...args: string[]) => run('tc', args, namespace)
  run('ip', ['link', 'add', ifb, 'type', 'ifb'], namespace)
  run('ip', ['link', 'set', ifb, 'up'], namespace)
  tc('qdisc', 'add', 'dev', device, 'handle', 'ffff:', 'ingress')
  const all = ['parent', 'ffff:', 'protocol', 'all', 'u32', 'match', 'u32', '0', '0']
  tc('filter', 'add', 'dev', device, ...all, 'action', 'mirred', 'egress', 'redirect', 'dev', ifb)
}

const FACTORS: Readonly<Record<string, number>> = { '': 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12 }

/** Bytes per second that a device's class lets through; `Infinity` where none holds it. */
export function readEgress(device: string, namespace: string): number {
  const text = run('tc', ['class', 'show', 'dev', device], namespace)
  const [, number, factor = ''] = /class htb 1:1 .*ceil (\d+)([KMGT]?)bit/.exec(text) ?? []
  return number === undefined ? Number.POSITIVE_INFINITY : (Number(number) * FACTORS[factor]!) / 8
}

/** What of it is there is taken away; the kernel's own queues come back. */
export function removeShaping({ device, namespace, ifb }: ShapedDevice): void {
  try {
    for (const { kind, root } of chosenQueues(device, namespace)) {
      if (root && kind === 'htb') run('tc', ['qdisc', 'del', 'dev', device, 'root'], namespace)
      if (kind === 'ingress') run('tc', ['qdisc', 'del', 'dev', device, 'ingress'], namespace)
    }
    run('ip', ['link', 'del', ifb], namespace)
  } catch (error) {
    if ((error as AdapterError).code !== 'linux_gone') throw error // with its device, or its namespace
  }
}

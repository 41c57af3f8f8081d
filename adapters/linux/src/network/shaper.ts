import { AdapterError, Problems } from '@trimtab/core'
import type { Changes } from '../changes.js'
import { chosenQueues, holdEgress, isRedirected, readEgress, redirectIngress, type ShapedDevice } from './commands.js'

/** What is left out stays as it is; `Infinity` lets everything through. */
export interface NetworkLimits {
  readonly egressBytesPerSecond?: number
  readonly ingressBytesPerSecond?: number
}

const NAMES = ['egressBytesPerSecond', 'ingressBytesPerSecond']
const MOST = 2 ** 32 // bytes a second, 34 Gbit: what HTB counts as no limit without its 64-bit rates
const ROUNDING = 1e-3 // tc prints four digits

/** The bandwidth of a network device, in both directions. */
export class NetworkShaper {
  readonly #shaped: ShapedDevice
  readonly #changes: Changes

  /** @throws {AdapterError} `linux_unsupported`, `linux_gone`, `network_in_use`: somebody else's queues stand there */
  constructor({
    device,
    namespace,
    changes,
  }: { readonly device: string; readonly namespace: string; readonly changes: Changes }) {
    this.#shaped = { device, namespace, ifb: `tt-${device}`.slice(0, 15) } // the longest name of a device
    this.#changes = changes
    const chosen = chosenQueues(device, namespace)
    if (chosen.length > 0) {
      const kinds = chosen.map(({ kind }) => kind).join(', ')
      throw new AdapterError('network_in_use', `${device} has queues of somebody else (${kinds}): they would be lost`)
    }
  }

  /**
   * @returns what is in force
   * @throws {ConfigError} `config_invalid`
   * @throws {AdapterError} `linux_not_honoured`; as `run` says
   */
  set(limits: NetworkLimits): NetworkLimits {
    const problems = new Problems()
    problems.checkKeys(limits, NAMES, 'limits')
    for (const [name, value] of Object.entries(limits))
      problems.check(value > 0, `${name} must be > 0 (Infinity: no limit), got ${value}`)
    problems.throwIfAny('limits')
    const { device, namespace, ifb } = this.#shaped
    const { egressBytesPerSecond, ingressBytesPerSecond } = limits
    this.#changes.make({ kind: 'network', ...this.#shaped }, () => {
      if (egressBytesPerSecond !== undefined) this.#hold(device, egressBytesPerSecond)
      if (ingressBytesPerSecond === undefined) return
      if (!isRedirected(device, namespace)) redirectIngress(this.#shaped)
      this.#hold(ifb, ingressBytesPerSecond)
    })
    return {
      egressBytesPerSecond: readEgress(device, namespace),
      ingressBytesPerSecond: isRedirected(device, namespace) ? readEgress(ifb, namespace) : Number.POSITIVE_INFINITY,
    }
  }

  #hold(device: string, bytesPerSecond: number): void {
    const { namespace } = this.#shaped
    const wanted = Math.min(MOST, bytesPerSecond)
    holdEgress(device, namespace, wanted)
    const held = readEgress(device, namespace)
    if (Math.abs(held / wanted - 1) > ROUNDING + 1 / wanted)
      throw new AdapterError('linux_not_honoured', `${device} lets ${held} B/s through after ${wanted} were asked for`)
  }
}

import { gunzipSync, gzipSync } from 'node:zlib'
import {
  hasCode,
  type KubernetesObject,
  MULTIDIM_POD_AUTOSCALERS,
  type MultidimPodAutoscaler,
  resource,
  type StringMap,
} from '@trimtab/kubernetes'
import type { OperatorContext } from '../context.js'
import { nameOf } from '../names.js'

/** What was learned about one workload, by what learned it. */
export interface LearnedState {
  readonly decider: Uint8Array
  readonly track: Uint8Array
}

/** What was found of it: nothing, something, or something that cannot or must not be used, and why. */
export type FoundState = { readonly state?: LearnedState; readonly problem?: string }

interface StateMap extends KubernetesObject {
  readonly data?: StringMap
  readonly binaryData?: StringMap
}

const CONFIG_MAPS = resource<StateMap>('v1', 'ConfigMap', 'configmaps')
const VERSION = '1'
const MOST_BYTES = 2 ** 24 // unpacked: more than any of ours
const PARTS = ['decider', 'track'] as const

/** Keeps what was learned in a ConfigMap beside each autoscaler, `trimtab-state-NAME`; it goes when the autoscaler goes. */
export class LearnedStates {
  readonly #context: OperatorContext
  /** Autoscalers, by uid, whose ConfigMap is somebody else's: it is left alone. */
  readonly #foreign = new Set<string>()

  constructor(context: OperatorContext) {
    this.#context = context
  }

  /** @throws as the client, where the server cannot say: nothing may be begun anew then */
  async load({ metadata }: MultidimPodAutoscaler, signal: AbortSignal): Promise<FoundState> {
    const { namespace, name, uid } = metadata as { namespace: string; name: string; uid: string }
    const stateName = nameOfState(name)
    let found: StateMap
    try {
      found = await this.#context.client.get(CONFIG_MAPS, { namespace, name: stateName }, { signal })
    } catch (error) {
      if (hasCode(error, 'api_not_found')) return {}
      throw error
    }
    const isOurs = found.metadata?.ownerReferences?.some((owner) => owner.uid === uid)
    if (!isOurs) {
      this.#foreign.add(uid)
      return { problem: `ConfigMap ${stateName} is not of this autoscaler: nothing is read from it or kept in it` }
    }
    const { data = {}, binaryData = {} } = found
    if (data.version !== VERSION)
      return {
        problem: `ConfigMap ${stateName} has version ${data.version}, this operator reads ${VERSION}: it begins anew`,
      }
    try {
      const [decider, track] = PARTS.map((part) =>
        gunzipSync(Buffer.from(binaryData[part] ?? '', 'base64'), { maxOutputLength: MOST_BYTES }),
      )
      return { state: { decider: decider!, track: track! } }
    } catch (error) {
      return { problem: `ConfigMap ${stateName} is damaged (${(error as Error).message}): it begins anew` }
    }
  }

  /** @throws as the client */
  async save({ metadata }: MultidimPodAutoscaler, state: LearnedState, signal: AbortSignal): Promise<void> {
    const { namespace, name, uid } = metadata as { namespace: string; name: string; uid: string }
    if (this.#foreign.has(uid)) return
    const { apiVersion, kind } = MULTIDIM_POD_AUTOSCALERS
    const object: StateMap = {
      metadata: {
        namespace,
        name: nameOfState(name),
        ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
      },
      data: { version: VERSION },
      binaryData: Object.fromEntries(PARTS.map((part) => [part, gzipSync(state[part]).toString('base64')])),
    }
    await this.#context.client.apply(CONFIG_MAPS, object, { fieldManager: nameOf('recommender'), force: true, signal })
  }

  /** Its autoscaler has gone. */
  forget(uid: string): void {
    this.#foreign.delete(uid)
  }
}

/** Names of objects have 253 characters at most. */
const nameOfState = (name: string): string => `trimtab-state-${name}`.slice(0, 253)

// A cluster with a Deployment `web`, into which somebody installs the operator: its parts make passes as far as their Deployments are there.
import { readFileSync } from 'node:fs'
import { createCore } from '@trimtab/core'
import {
  type ApiResource,
  DEPLOYMENTS,
  discoverCapabilities,
  hasCode,
  Informer,
  type KubernetesObject,
  MULTIDIM_POD_AUTOSCALERS,
  PODS,
} from '@trimtab/kubernetes'
import { expect } from 'vitest'
import { parse } from 'yaml'
import { during, open } from '../../kubernetes/test/opened.js'
import type { StandInClock } from '../../kubernetes/test/stand-in/clock.js'
import {
  nameOf,
  OPERATOR_NAMESPACE,
  type OperatorContext,
  type OperatorPart,
  Recommender,
  scalerResources,
  Updater,
} from '../src/index.js'
import { PrometheusDouble } from './recommender/world.js'
import { web } from './scene.js'

const SAMPLE = parse(readFileSync(new URL('../../kubernetes/examples/web.yaml', import.meta.url), 'utf8'))
const PERIOD_SECONDS = 15

/** The time of day, ahead by what has been skipped. */
function skippingClock(): { clock: StandInClock; skip(milliseconds: number): void } {
  let aheadMs = 0
  const waiting = new Set<{ readonly atMs: number; call(): void }>()
  const now = (): number => Date.now() + aheadMs
  const look = (): void => {
    for (const entry of waiting) {
      if (entry.atMs > now()) continue
      waiting.delete(entry)
      entry.call()
    }
  }
  const after: StandInClock['after'] = (milliseconds, call) => {
    const entry = { atMs: now() + milliseconds, call }
    waiting.add(entry)
    const timer = setTimeout(look, milliseconds)
    return () => {
      waiting.delete(entry)
      clearTimeout(timer)
    }
  }
  return {
    clock: { now, after },
    skip: (milliseconds) => {
      aheadMs += milliseconds
      look()
    },
  }
}

export interface Installation {
  /** The administrator's. */
  readonly kubeconfig: string
  /** Ten minutes of passes. */
  passes(): Promise<void>
}

/** Its Prometheus says that `web` gets by with less than it has. */
export async function openInstallation(): Promise<Installation> {
  const { clock, skip } = skippingClock()
  const { standIn, client } = await open({ clock, podUsage: () => ({ main: { cpu: '30m', memory: '90Mi' } }) })
  await client.create(DEPLOYMENTS, web(4))
  const prometheus = new PrometheusDouble()
  prometheus.answers.set(SAMPLE.spec.slo.latency.query, 0.09).set(SAMPLE.spec.load.query, 40)
  const capabilities = await discoverCapabilities(client)
  const follow = <T extends KubernetesObject>(of: ApiResource<T>): Informer<T> => {
    const informer = new Informer(client, of)
    during((signal) => informer.run(signal))
    return informer
  }
  const context: OperatorContext = {
    ...{ client, capabilities, clock, namespace: OPERATOR_NAMESPACE },
    ...{ autoscalers: follow(MULTIDIM_POD_AUTOSCALERS), pods: follow(PODS) },
    scalers: scalerResources(capabilities).map(follow),
  }
  const parts = {
    recommender: new Recommender(context, { core: await createCore(), prometheus, periodSeconds: PERIOD_SECONDS }),
    updater: new Updater(context, { identity: 'runbook', periodSeconds: PERIOD_SECONDS }),
  }
  const { signal } = new AbortController()
  const runs = (part: OperatorPart): Promise<boolean> =>
    client.get(DEPLOYMENTS, { namespace: OPERATOR_NAMESPACE, name: nameOf(part) }).then(
      ({ spec }) => spec?.replicas !== 0,
      (error) => {
        if (!hasCode(error, 'api_not_found')) throw error
        return false
      },
    )
  /** The operator has heard of everything that is in the cluster. */
  const heard = (): Promise<unknown> =>
    expect
      .poll(() =>
        [context.autoscalers, context.pods].every(
          (informer) => informer.isReady && [...informer.values()].every(isCurrent),
        ),
      )
      .toBe(true)
  const isCurrent = ({ kind = '', metadata }: KubernetesObject): boolean => {
    const collection = kind === 'Pod' ? '/pods' : 'trimtab.dev/multidimpodautoscalers'
    const live = standIn.registry.store.get(collection, metadata?.namespace, metadata?.name ?? '')
    return live?.metadata.resourceVersion === metadata?.resourceVersion
  }
  return {
    kubeconfig: standIn.kubeconfig(),
    passes: async () => {
      for (let seconds = 0; seconds < 600; seconds += PERIOD_SECONDS) {
        skip(1000 * PERIOD_SECONDS)
        for (const part of ['recommender', 'updater'] as const) {
          await heard()
          if (await runs(part)) await parts[part].step(signal)
        }
      }
    },
  }
}

// Each part does its work with exactly the role that is shipped; the requests that it made are refused when their verb is taken away.
import { createCore } from '@trimtab/core'
import {
  DEPLOYMENTS,
  type KubernetesClient,
  type KubernetesObject,
  LEASES,
  LeaderElection,
  MULTIDIM_POD_AUTOSCALERS,
  resource,
} from '@trimtab/kubernetes'
import { describe, expect, it } from 'vitest'
import { fakeClock } from '../../kubernetes/test/fake-clock.js'
import { during } from '../../kubernetes/test/opened.js'
import type { Attributes } from '../../kubernetes/test/stand-in/access.js'
import type { StandIn } from '../../kubernetes/test/stand-in/index.js'
import {
  nameOf,
  OPERATOR_NAMESPACE,
  OPERATOR_PARTS,
  type OperatorContext,
  type OperatorPart,
  Recommender,
} from '../src/index.js'
import {
  type ManifestObject,
  operatorObjects,
  PERMISSIONS,
  type Permission,
  type Verb,
} from '../src/manifests/index.js'
import { autoscalerOf, DEFINITIONS, openCluster, openContext, type TestCluster } from './cluster.js'
import { nowMs, REF, Scene, START_UP_MS, web } from './scene.js'
import { openWebhook } from './webhook.js'

interface Stage {
  readonly cluster: TestCluster
  /** The part's: what it asks for, it asks for as its service account. */
  readonly context: OperatorContext
  advance(milliseconds: number): void
}

const core = await createCore()
const { signal } = new AbortController()
const ACCESS = /^(Namespace|ServiceAccount|(Cluster)?Role(Binding)?)$/

/** A VPA's kind, so that parts look for VPAs. */
const VERTICAL_AUTOSCALERS = {
  metadata: { name: 'verticalpodautoscalers.autoscaling.k8s.io' },
  spec: {
    group: 'autoscaling.k8s.io',
    scope: 'Namespaced',
    names: { kind: 'VerticalPodAutoscaler', plural: 'verticalpodautoscalers' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}

const kindOf = ({ apiVersion, kind }: ManifestObject) =>
  resource<KubernetesObject>(apiVersion, kind, `${kind.toLowerCase()}s`, !/^(Namespace|Cluster.*)$/.test(kind))

async function open(part: OperatorPart): Promise<Stage> {
  const { clock, advance } = fakeClock(nowMs())
  const podUsage = () => ({ main: { cpu: '50m', memory: '90Mi' } })
  const cluster = await openCluster({ clock, podUsage, startUpMs: START_UP_MS, shutDownMs: 1000, resizeMs: 1000 })
  await cluster.client.create(DEFINITIONS, VERTICAL_AUTOSCALERS as KubernetesObject)
  for (const object of operatorObjects().filter(({ kind }) => ACCESS.test(kind)))
    await cluster.client.apply(kindOf(object), object)
  const token = cluster.standIn.issueToken(OPERATOR_NAMESPACE, nameOf(part))
  return { cluster, context: await openContext(cluster, clock, { token }), advance }
}

/** Leads for a moment, and renews and gives back the lease. */
async function lead(client: KubernetesClient, part: OperatorPart): Promise<void> {
  const lease = { namespace: OPERATOR_NAMESPACE, name: nameOf(part), identity: 'a', leaseSeconds: 1 }
  const ending = new AbortController()
  const renewed = async (): Promise<void> => {
    const held = await client.get(LEASES, { namespace: OPERATOR_NAMESPACE, name: nameOf(part) })
    await expect
      .poll(async () => (await client.get(LEASES, held.metadata as typeof REF)).metadata?.resourceVersion)
      .not.toBe(held.metadata?.resourceVersion)
    ending.abort()
  }
  await new LeaderElection(client, lease).run(renewed, ending.signal)
}

/** Scenarios in which a part needs all that it may. */
const WORK: Readonly<Record<OperatorPart, (stage: Stage) => Promise<void>>> = {
  async recommender({ cluster: { client }, context, advance }) {
    await lead(context.client, 'recommender')
    const recommender = new Recommender(context, { core })
    await client.create(DEPLOYMENTS, web(3))
    const passesUntil = (reason: string): Promise<unknown> =>
      expect
        .poll(async () => {
          advance(15_000)
          await recommender.step(signal)
          const { status } = await client.get(MULTIDIM_POD_AUTOSCALERS, REF)
          return status?.conditions?.find(({ type }) => type === 'Ready')?.reason
        })
        .toBe(reason)
    const declare = (replicas: { min: number; max: number }) =>
      client.apply(MULTIDIM_POD_AUTOSCALERS, autoscalerOf('web', { bounds: { replicas } }), { force: true })
    for (let round = 0; round < 2; round++) {
      await declare({ min: 5, max: 2 })
      await passesUntil('InvalidSpec') // the second time it is an event that is counted
      await declare({ min: 2, max: 5 })
      await passesUntil('Ready')
    }
    await recommender.run(AbortSignal.abort()) // told to end, it keeps what was learned
    recommender.dispose()
  },

  async updater({ cluster, context, advance }) {
    await lead(context.client, 'updater')
    const { client } = cluster
    await client.create(DEPLOYMENTS, web(4))
    await client.create(MULTIDIM_POD_AUTOSCALERS, autoscalerOf('web', { mode: 'act' }))
    const beat = { metadata: { namespace: OPERATOR_NAMESPACE, name: nameOf('admission') } }
    await client.create(LEASES, beat)
    const inPlace = new Scene(cluster, context, advance, {}, 0)
    const byEviction = { ...context, capabilities: { ...context.capabilities, canResizeInPlace: false } }
    const evicting = new Scene(cluster, byEviction, advance, {}, 0)
    for (const { updater } of [inPlace, evicting]) during((ending) => updater.webhook.run(ending))
    await inPlace.elapse(700)
    await inPlace.passes(4, { replicas: 5, cpu: '100m', memory: '128Mi' })
    await inPlace.passes(8, { replicas: 5, cpu: '140m', memory: '160Mi' })
    expect(await inPlace.replicas()).toBe(5)
    expect(new Set(await inPlace.requests())).toEqual(new Set(['140m 160Mi']))
    await inPlace.elapse(700)
    const evicted = (): boolean => cluster.standIn.seen.some(({ subresource }) => subresource === 'eviction')
    for (let pass = 0; pass < 20 && !evicted(); pass++) {
      const renewTime = new Date(context.clock.now()).toISOString().replace('Z', '000Z')
      await client.merge(LEASES, beat.metadata, { spec: { leaseDurationSeconds: 60, renewTime } })
      await evicting.passes(1, { replicas: 5, cpu: '200m', memory: '240Mi' })
    }
    expect(evicted()).toBe(true)
  },

  async admission({ cluster, context, advance }) {
    const { client } = cluster
    const server = await openWebhook(cluster, context)
    await client.create(MULTIDIM_POD_AUTOSCALERS, autoscalerOf('web', { mode: 'act' }))
    const carriedOut = { containers: [{ name: 'main', cpu: '150m', memory: '192Mi' }] }
    const written = await client.merge(
      MULTIDIM_POD_AUTOSCALERS,
      REF,
      { status: { carriedOut } },
      { subresource: 'status' },
    )
    const version = written.metadata?.resourceVersion
    await expect.poll(() => context.autoscalers.get(REF)?.metadata?.resourceVersion).toBe(version)
    await client.create(DEPLOYMENTS, web(1))
    const scene = new Scene(cluster, context, advance, {}, 0)
    await expect.poll(() => scene.requests()).toEqual(['150m 192Mi'])
    advance(70 * 24 * 3_600_000) // the certificate has little left
    await server.step(signal)
  },
}

const isOf = (part: OperatorPart, { name }: { readonly name: string }): boolean => name.endsWith(`:${nameOf(part)}`)

const covers = ({ group, resources, names, scope }: Permission, verb: Verb, wanted: Attributes): boolean =>
  wanted.verb === verb &&
  wanted.group === group &&
  resources.includes(wanted.resource) &&
  (names === undefined || names.includes(wanted.name ?? '')) &&
  (scope === 'own') === (wanted.namespace === OPERATOR_NAMESPACE)

/** What RBAC says when a verb of a permission is taken from the shipped role. */
async function withoutVerb(
  standIn: StandIn,
  client: KubernetesClient,
  part: OperatorPart,
  permission: Permission,
  verb: Verb,
) {
  const roles = operatorObjects().filter(
    ({ kind, metadata }) => /^(Cluster)?Role$/.test(kind) && metadata.name.startsWith(nameOf(part)),
  )
  const { user } = standIn.decisions.find((decision) => isOf(part, decision.user))!
  const asked = standIn.decisions.filter(
    (decision) => isOf(part, decision.user) && covers(permission, verb, decision.wanted),
  )
  for (const role of roles) {
    const rules = (role.rules as Rule[]).map((rule) =>
      isRuleOf(rule, permission) ? { ...rule, verbs: rest(rule, verb) } : rule,
    )
    await client.apply(kindOf(role), { ...role, rules } as KubernetesObject, { force: true })
  }
  const refused = asked.filter(({ wanted }) => !standIn.authorizer.allows(user, wanted))
  for (const role of roles) await client.apply(kindOf(role), role, { force: true })
  return { asked: asked.length, refused: refused.length }
}

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
  readonly resourceNames?: readonly string[]
}

const rest = ({ verbs }: Rule, verb: Verb): string[] => verbs.filter((other) => other !== verb)

const isRuleOf = ({ apiGroups, resources, resourceNames, verbs }: Rule, permission: Permission): boolean =>
  JSON.stringify([apiGroups, resources, resourceNames, verbs]) ===
  JSON.stringify([[permission.group], permission.resources, permission.names, permission.verbs])

describe.each(OPERATOR_PARTS)('the %s with the role that is shipped', (part) => {
  const verbs = PERMISSIONS[part].flatMap((permission) =>
    permission.verbs.map((verb) => [verb, permission.resources.join(', '), permission.reason, permission] as const),
  )
  it('does its work, and each verb of it is needed: without one, what was asked is refused', async () => {
    const stage = await open(part)
    await WORK[part](stage)
    const { standIn, client } = stage.cluster
    const own = standIn.decisions.filter(({ user }) => isOf(part, user))
    expect(own.filter(({ isAllowed }) => !isAllowed)).toEqual([])
    for (const [verb, resources, reason, permission] of verbs) {
      const { asked, refused } = await withoutVerb(standIn, client, part, permission, verb)
      const named = `${verb} ${resources}: ${reason}`
      expect({ named, isNeeded: asked > 0 && refused === asked }).toEqual({ named, isNeeded: true })
    }
  })
})

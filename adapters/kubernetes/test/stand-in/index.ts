// A stand-in for a Kubernetes API server: in this process, over TLS, after the protocol. It says that it is none (`/version`, `Server`).

import type { IncomingMessage, ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { stringify } from 'yaml'
import { createAuthority, issueCertificate, type KeyedCertificate, type PodObject } from '../../src/index.js'
import {
  type Attributes,
  Authorizer,
  authenticate,
  MASTERS,
  reviewAccess,
  serviceAccountUser,
  type User,
} from './access.js'
import { hostClock, type StandInClock } from './clock.js'
import { reconcileBudgets } from './controllers/budgets.js'
import { kindOf, onChange, SYSTEM } from './controllers/controller.js'
import { collectGarbage } from './controllers/garbage.js'
import { Kubelet, type KubeletOptions } from './controllers/kubelet.js'
import { reconcileQuotas } from './controllers/quotas.js'
import { reconcileWorkloads } from './controllers/workloads.js'
import { discover } from './discovery.js'
import { type Answer, handle, readBody, type World } from './handlers.js'
import { asPod, type Fields } from './objects.js'
import { openApi } from './openapi.js'
import { Pages } from './pages.js'
import { Registry } from './registry.js'
import { type Asked, parseRoute } from './routes.js'
import { noSuchPath, StatusError } from './status-error.js'
import { Watches } from './watch.js'

export interface StandInOptions extends Partial<KubeletOptions> {
  /** Of the release 1.minor that it follows, from 20 on; default 32. */
  readonly minor?: number
  readonly clock?: StandInClock
  readonly bookmarkMs?: number
  /** What one node offers; default 64 cores, 256 GiB. */
  readonly nodes?: Readonly<Record<string, { readonly cpu: string; readonly memory: string }>>
  /** What pods use, by container, for `metrics.k8s.io`; undefined: not measured (yet). */
  readonly podUsage?: (
    pod: PodObject,
  ) => Readonly<Record<string, { readonly cpu: string; readonly memory: string }>> | undefined
}

/** What was asked of the stand-in, and by whom. */
export interface Seen extends Asked {
  readonly user: string
}

/** What happens to a request in place of an answer. */
export type Fault = 'hang' | 'drop' | StatusError

const YEAR_MS = 365 * 24 * 3600 * 1000

export class StandIn {
  readonly registry: Registry
  readonly watches: Watches
  readonly seen: Seen[] = []
  /** What RBAC was asked about, and what it said. */
  readonly decisions: { readonly user: User; readonly wanted: Attributes; readonly isAllowed: boolean }[] = []
  /** Decides about each request before it is looked at. */
  fault: (asked: Asked) => Fault | undefined = () => undefined
  readonly authority: KeyedCertificate
  readonly #administrator: KeyedCertificate
  readonly #tokens = new Map<string, User>()
  readonly #world: World
  readonly authorizer: Authorizer
  readonly #options: StandInOptions
  readonly #server: https.Server
  readonly #ends: (() => void)[]

  constructor(options: StandInOptions) {
    const { minor = 32, clock = hostClock, bookmarkMs = 60_000, startUpMs = 20, shutDownMs = 5, resizeMs = 5 } = options
    this.#options = options
    this.registry = new Registry(minor, clock)
    this.watches = new Watches(this.registry, bookmarkMs)
    this.#world = {
      registry: this.registry,
      watches: this.watches,
      pages: new Pages(this.registry.store),
      minor,
      issueToken: (namespace, account) => this.issueToken(namespace, account),
    }
    this.authorizer = new Authorizer(this.registry.store)
    const days = { notBefore: new Date(Date.now() - YEAR_MS), notAfter: new Date(Date.now() + YEAR_MS) }
    this.authority = createAuthority({ commonName: 'stand-in', ...days })
    this.#administrator = issueCertificate(this.authority, {
      commonName: 'administrator',
      organizations: [MASTERS],
      ...days,
    })
    const { certificate, key } = issueCertificate(this.authority, {
      commonName: 'stand-in',
      hosts: ['127.0.0.1', 'localhost'],
      ...days,
    })
    const tls = { cert: certificate, key, ca: this.authority.certificate, requestCert: true, rejectUnauthorized: false }
    this.#server = https.createServer(tls, (request, response) => void this.#serve(request, response))
    const kubelet = new Kubelet(this.registry, { startUpMs, shutDownMs, resizeMs })
    const isWorkload = (collection: string): boolean => collection.startsWith('apps/') || collection === '/pods'
    this.#ends = [
      onChange(this.registry, isWorkload, () => reconcileWorkloads(this.registry)),
      onChange(
        this.registry,
        (collection) => collection === '/pods' || collection === '/nodes',
        () => kubelet.reconcile(),
      ),
      onChange(
        this.registry,
        (collection) => collection === '/pods' || collection.startsWith('policy/'),
        () => reconcileBudgets(this.registry),
      ),
      onChange(
        this.registry,
        (collection) => collection === '/pods' || collection === '/resourcequotas',
        () => reconcileQuotas(this.registry),
      ),
      this.registry.store.listen((change) => collectGarbage(this.registry, change)),
      () => kubelet.stop(),
    ]
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    for (const name of ['default', 'kube-system'])
      await this.registry.create(kindOf(this.registry, 'namespaces'), undefined, { metadata: { name } }, SYSTEM)
    const { nodes = { 'node-1': { cpu: '64', memory: '256Gi' } } } = this.#options
    for (const [name, allocatable] of Object.entries(nodes)) {
      const node = kindOf(this.registry, 'nodes')
      await this.registry.create(node, undefined, { metadata: { name } }, SYSTEM)
      const ready = { allocatable, capacity: allocatable, conditions: [{ type: 'Ready', status: 'True' }] }
      await this.registry.change(node, undefined, name, (live) => ({ ...live, status: ready }), {
        ...SYSTEM,
        subresource: 'status',
      })
    }
    return this
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The token of a service account, good until it is revoked. */
  issueToken(namespace: string, account: string): string {
    const token = `token-${this.#tokens.size + 1}-of-${account}`
    this.#tokens.set(token, serviceAccountUser(namespace, account))
    return token
  }

  revokeToken(token: string): void {
    this.#tokens.delete(token)
  }

  /** A kubeconfig: the administrator's by certificate, or with other credentials in a user's words. */
  kubeconfig(user: Fields = this.#certified()): string {
    const cluster = { server: this.url, 'certificate-authority-data': base64(this.authority.certificate) }
    return stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'stand-in', cluster }],
      users: [{ name: 'me', user }],
      contexts: [{ name: 'stand-in', context: { cluster: 'stand-in', user: 'me' } }],
      'current-context': 'stand-in',
    })
  }

  async close(): Promise<void> {
    for (const end of this.#ends) end()
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  #certified(): Fields {
    const { certificate, key } = this.#administrator
    return { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('server', 'trimtab stand-in, no Kubernetes')
    try {
      const answer = await this.#answer(request, response)
      if (answer) send(response, answer)
    } catch (error) {
      if (error instanceof StatusError) return sendStatus(response, error)
      sendStatus(response, new StatusError(500, 'InternalError', `the stand-in failed: ${(error as Error).stack}`))
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<Answer | undefined> {
    const url = new URL(request.url!, this.url)
    const user = authenticate(request, this.#tokens)
    const { kinds } = this.registry
    const known = discover(url.pathname, kinds, this.#world.minor) ?? openApi(url.pathname, kinds)
    if (known) return { code: 200, body: known }
    const asked = parseRoute(request.method!, url)
    this.seen.push({ ...asked, user: user.name })
    const fault = this.fault(asked)
    if (fault instanceof StatusError) throw fault
    if (fault === 'drop') request.socket.destroy()
    if (fault !== undefined) return undefined
    if (asked.group === 'authorization.k8s.io')
      return { code: 201, body: reviewAccess(this.authorizer, user, (await readBody(request)) as Fields) }
    const { verb, group, plural, subresource, namespace, name } = asked
    const resource = subresource === undefined ? plural : `${plural}/${subresource}`
    const wanted = { verb, group, resource, namespace, name: name ?? nameSelectedBy(url.searchParams) }
    this.#require(user, wanted)
    if (this.#wouldCreate(request, asked)) this.#require(user, { ...wanted, verb: 'create', name: undefined })
    if (group === 'metrics.k8s.io') return { code: 200, body: this.#podMetrics(asked) }
    return handle(this.#world, { asked, user, query: url.searchParams, request, response })
  }

  /** Server-side apply of what is not there creates it, and needs both verbs. */
  #wouldCreate(
    { headers }: IncomingMessage,
    { verb, group, version, plural, subresource, namespace, name }: Asked,
  ): boolean {
    if (verb !== 'patch' || subresource !== undefined || !headers['content-type']?.includes('apply-patch')) return false
    const { collection } = this.registry.kind(group, version, plural)
    return this.registry.store.get(collection, namespace, name!) === undefined
  }

  #require(user: User, wanted: Attributes): void {
    this.decisions.push({ user, wanted, isAllowed: this.authorizer.allows(user, wanted) })
    this.authorizer.require(user, wanted)
  }

  #podMetrics({ namespace, name, plural }: Asked): object {
    if (plural !== 'pods') throw noSuchPath()
    const timestamp = new Date(this.registry.clock.now()).toISOString()
    const items = this.registry.store.list('/pods', namespace).flatMap((pod) => {
      const usage = this.#options.podUsage?.(asPod(pod))
      if (usage === undefined || (name !== undefined && pod.metadata.name !== name)) return []
      const containers = Object.entries(usage).map(([container, used]) => ({ name: container, usage: used }))
      return [
        {
          metadata: { name: pod.metadata.name, namespace: pod.metadata.namespace, labels: pod.metadata.labels },
          timestamp,
          window: '15s',
          containers,
        },
      ]
    })
    if (name === undefined) return { kind: 'PodMetricsList', apiVersion: 'metrics.k8s.io/v1beta1', metadata: {}, items }
    if (items.length === 0) throw noSuchPath()
    return items[0]!
  }
}

/** Starts a stand-in on a free port of loopback. */
export const startStandIn = (options: StandInOptions = {}): Promise<StandIn> => new StandIn(options).start()

/** As RBAC sees it: a list or watch of `metadata.name=NAME` asks for that object. */
const nameSelectedBy = (query: URLSearchParams): string | undefined =>
  /^metadata\.name=([^,]+)$/.exec(query.get('fieldSelector') ?? '')?.[1]

const base64 = (text: string): string => Buffer.from(text).toString('base64')

function send(response: ServerResponse, { code, body }: Answer): void {
  const text = JSON.stringify(body)
  response.writeHead(code, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text)
}

function sendStatus(response: ServerResponse, { status }: StatusError): void {
  const { retryAfterSeconds = 0 } = status.details ?? {}
  if (retryAfterSeconds > 0) response.setHeader('retry-after', retryAfterSeconds)
  send(response, { code: status.code!, body: status })
}

// Objects are written here, by requests and by controllers alike: admission, defaults, validation, versions, ownership of fields.
import { randomBytes, randomUUID } from 'node:crypto'
import type { User } from './access.js'
import { admit } from './admission.js'
import type { StandInClock } from './clock.js'
import { apiVersionOf, builtinKinds, type CrdSpec, customKinds, type Kind } from './kinds.js'
import { applyPatch, type Manager, noteUpdate } from './managed-fields.js'
import { type Fields, isFields, isSame, type Stored } from './objects.js'
import { requireQuota } from './quotas.js'
import { alreadyExists, badRequest, changedMeanwhile, conflict, invalid, noSuchPath, notFound } from './status-error.js'
import { Store } from './store.js'
import { causesAgainst, withServerDefaults } from './strategies.js'

/** Who writes, and how. */
export interface Writer {
  readonly user: User
  readonly manager: string
  readonly subresource?: string | undefined
  readonly isDryRun?: boolean
  readonly isStrict?: boolean
}

const CRDS = 'apiextensions.k8s.io/customresourcedefinitions'

export class Registry {
  readonly store = new Store()
  readonly clock: StandInClock
  /** Controllers that have begun something and wait for it, an admission webhook for example. */
  controllersAtWork = 0
  readonly #builtin: readonly Kind[]

  constructor(minor: number, clock: StandInClock) {
    this.#builtin = builtinKinds(minor)
    this.clock = clock
  }

  /** All kinds that are served now. */
  get kinds(): readonly Kind[] {
    return [...this.#builtin, ...this.store.list(CRDS).flatMap(({ spec }) => customKinds(spec as unknown as CrdSpec))]
  }

  /** @throws StatusError 404 */
  kind(group: string, version: string, plural: string): Kind {
    const found = this.kinds.find((kind) => kind.group === group && kind.version === version && kind.plural === plural)
    if (!found) throw noSuchPath()
    return found
  }

  /** @throws StatusError 404 */
  get(kind: Kind, namespace: string | undefined, name: string): Stored {
    const found = this.store.get(kind.collection, namespace, name)
    if (!found) throw notFound(kind, name)
    return inVersion(kind, found)
  }

  async create(kind: Kind, namespace: string | undefined, body: unknown, writer: Writer): Promise<Stored> {
    const object = this.#newObject(kind, namespace, body)
    const { name } = object.metadata
    if (namespace !== undefined && !this.store.get('/namespaces', undefined, namespace))
      throw notFound({ plural: 'namespaces', kind: 'Namespace', group: '' }, namespace)
    if (this.store.get(kind.collection, namespace, name)) throw alreadyExists(kind, name)
    const complete = await this.#complete(kind, object, undefined, writer)
    if (this.store.get(kind.collection, namespace, name)) throw alreadyExists(kind, name)
    return this.#keep(kind, noteUpdate(kind, undefined, complete, managerOf(writer), this.#now()), writer)
  }

  /** Replaces an object that the caller has read. */
  update(kind: Kind, namespace: string | undefined, name: string, body: unknown, writer: Writer): Promise<Stored> {
    const object = readObject(kind, body)
    if (object.metadata.name !== name)
      throw badRequest(`the name of the object (${object.metadata.name}) does not match the name on the URL (${name})`)
    return this.change(kind, namespace, name, () => object, writer)
  }

  /**
   * Changes an object by what `next` makes of it; a resourceVersion in the result must be the present one. What is computed anew for
   * a changed object is tried again when somebody else writes meanwhile.
   */
  async change(
    kind: Kind,
    namespace: string | undefined,
    name: string,
    next: (live: Stored) => unknown,
    writer: Writer,
  ): Promise<Stored> {
    for (;;) {
      const live = this.get(kind, namespace, name)
      const wanted = readObject(kind, next(live))
      if (wanted.metadata.resourceVersion && wanted.metadata.resourceVersion !== live.metadata.resourceVersion)
        throw changedMeanwhile(kind, name)
      if (wanted.metadata.uid && wanted.metadata.uid !== live.metadata.uid) {
        const why = `Precondition failed: UID in precondition: ${wanted.metadata.uid}, UID in object meta: ${live.metadata.uid}`
        throw conflict(kind, name, why)
      }
      const complete = await this.#complete(kind, within(kind, live, wanted, writer.subresource), live, writer)
      if (this.store.get(kind.collection, namespace, name)?.metadata.resourceVersion !== live.metadata.resourceVersion)
        continue
      return this.#keep(kind, noteUpdate(kind, live, complete, managerOf(writer), this.#now()), writer)
    }
  }

  /** Server-side apply; creates what is not there. */
  async apply(
    kind: Kind,
    namespace: string | undefined,
    name: string,
    body: unknown,
    force: boolean,
    writer: Writer,
  ): Promise<Stored> {
    const applied = readObject(kind, body) as Stored
    if ((applied.metadata.name ?? name) !== name)
      throw badRequest('the name of the object does not match the name on the URL')
    if (applied.metadata.managedFields?.length) throw badRequest('metadata.managedFields must be nil')
    const live = this.store.get(kind.collection, namespace, name)
    if (!live && writer.subresource) throw notFound(kind, name)
    const draft = live
      ? undefined
      : this.#newObject(kind, namespace, { ...applied, metadata: { ...applied.metadata, name } })
    const merged = applyPatch(kind, live && inVersion(kind, live), applied, managerOf(writer), force, this.#now())
    const { managedFields, ...metadata } = merged.metadata
    const whole = { ...merged, metadata: { ...draft?.metadata, ...metadata } } as Stored
    const wanted = live ? within(kind, live, whole, writer.subresource) : whole
    const complete = await this.#complete(kind, wanted, live, writer)
    const owned = { ...complete, metadata: { ...complete.metadata, managedFields: managedFields! } }
    return this.#keep(kind, owned, writer)
  }

  /** Marks an object as going, or lets it go at once. */
  delete(kind: Kind, namespace: string | undefined, name: string, options: Fields = {}): Stored {
    const live = this.get(kind, namespace, name)
    const { uid } = (options.preconditions ?? {}) as { uid?: string }
    if (uid !== undefined && uid !== live.metadata.uid)
      throw conflict(
        kind,
        name,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`,
      )
    const grace = Number(
      options.gracePeriodSeconds ?? (kind.plural === 'pods' ? (live.spec?.terminationGracePeriodSeconds ?? 30) : 0),
    )
    const isWaitedFor =
      (live.metadata.finalizers?.length ?? 0) > 0 ||
      (kind.plural === 'pods' && grace > 0 && live.spec?.nodeName !== undefined)
    if (!isWaitedFor) return this.store.delete(kind.collection, live)!
    if (live.metadata.deletionTimestamp) return live
    const metadata = { ...live.metadata, deletionTimestamp: this.#now(), deletionGracePeriodSeconds: grace }
    return this.store.put(kind.collection, { ...live, metadata })
  }

  #now(): string {
    return new Date(Math.floor(this.clock.now() / 1000) * 1000).toISOString().replace('.000Z', 'Z')
  }

  #newObject(kind: Kind, namespace: string | undefined, body: unknown): Stored {
    const object = readObject(kind, body)
    const { metadata } = object
    if (metadata.namespace !== undefined && kind.isNamespaced && metadata.namespace !== namespace)
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
    const name =
      metadata.name || (metadata.generateName && metadata.generateName + randomBytes(3).toString('hex').slice(0, 5))
    if (!name)
      throw invalid(kind, '', [
        {
          field: 'metadata.name',
          reason: 'FieldValueRequired',
          message: 'Required value: name or generateName is required',
        },
      ])
    if (metadata.resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created')
    const { namespace: _, managedFields: _managers, ...rest } = metadata
    const given = { ...rest, name, ...(namespace === undefined ? {} : { namespace }) }
    const made = { uid: randomUUID(), resourceVersion: '', creationTimestamp: this.#now(), generation: 1 }
    return { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { ...given, ...made } }
  }

  async #complete(kind: Kind, object: Stored, before: Stored | undefined, writer: Writer): Promise<Stored> {
    const { user, isDryRun = false, isStrict = false, subresource } = writer
    const isNew = before === undefined
    const started = isNew && kind.subresources.includes('status') ? withoutStatus(object) : object
    const asked = { operation: isNew ? ('CREATE' as const) : ('UPDATE' as const), kind, user, isDryRun, subresource }
    const admitted = await admit(this.store, withServerDefaults(kind, started, isStrict), before, asked)
    const complete = withServerDefaults(kind, admitted, isStrict)
    const causes = causesAgainst(kind, complete, before)
    if (causes.length > 0) throw invalid(kind, complete.metadata.name, causes)
    if (kind.plural === 'pods' && (isNew || subresource === 'resize')) requireQuota(this.store, complete, before)
    const isChanged = before !== undefined && !isSame(contentOf(before), contentOf(complete))
    const generation = (before?.metadata.generation ?? 0) + (isNew || isChanged ? 1 : 0)
    return { ...complete, metadata: { ...complete.metadata, generation } }
  }

  #keep(kind: Kind, object: Stored, { isDryRun }: Writer): Stored {
    if (isDryRun) return object
    const kept = this.store.put(kind.collection, object)
    const isGone = kept.metadata.deletionTimestamp && !kept.metadata.finalizers?.length && kind.plural !== 'pods'
    if (isGone) this.store.delete(kind.collection, kept)
    return inVersion(kind, kept)
  }
}

/** One object serves all versions of its group: only the name of the version differs. */
export const inVersion = (kind: Kind, object: Stored): Stored => ({
  ...object,
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
})

const managerOf = ({ manager, subresource }: Writer): Manager => ({ name: manager, subresource })

function readObject(kind: Kind, body: unknown): Stored {
  if (!isFields(body)) throw badRequest('the body is no object')
  const { apiVersion = apiVersionOf(kind), kind: name = kind.kind, metadata = {} } = body
  if (apiVersion !== apiVersionOf(kind) || name !== kind.kind)
    throw badRequest(`the object is ${apiVersion} ${name}, this path takes ${apiVersionOf(kind)} ${kind.kind}`)
  return { ...body, apiVersion, kind: name, metadata } as Stored
}

const withoutStatus = ({ status: _, ...object }: Stored): Stored => object as Stored

/** What `generation` counts: all but metadata and status. */
function contentOf({ metadata: _, status: _status, apiVersion: _version, ...content }: Stored): Fields {
  return content
}

/** What a write to the object, or to its subresource `status`, may change; what the server keeps stays as it is. */
function within(kind: Kind, live: Stored, wanted: Stored, subresource: string | undefined): Stored {
  const {
    uid,
    creationTimestamp,
    namespace,
    name,
    deletionTimestamp,
    deletionGracePeriodSeconds,
    managedFields,
    resourceVersion,
  } = live.metadata
  const kept = {
    ...{ name, uid, creationTimestamp, resourceVersion },
    ...(namespace === undefined ? {} : { namespace }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
    ...(managedFields === undefined ? {} : { managedFields }),
  }
  if (subresource === 'status') return { ...live, ...(wanted.status === undefined ? {} : { status: wanted.status }) }
  const { generateName, labels, annotations, finalizers, ownerReferences } = wanted.metadata
  const changed = Object.fromEntries(
    Object.entries({ generateName, labels, annotations, finalizers, ownerReferences }).filter(
      ([, value]) => value !== undefined,
    ),
  )
  const object = { ...wanted, metadata: { ...changed, ...kept } }
  if (subresource !== undefined || !kind.subresources.includes('status')) return object
  return { ...withoutStatus(object), ...(live.status === undefined ? {} : { status: live.status }) }
}

// One function a verb: from what is asked to what is answered.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'yaml'
import type { User } from './access.js'
import { readAccessReview } from './access-review.js'
import { evictionVersion } from './discovery.js'
import { apiVersionOf, type Kind } from './kinds.js'
import { isFields, type Stored } from './objects.js'
import type { Pages } from './pages.js'
import { jsonPatch, mergePatch, strategicMergePatch } from './patch.js'
import { inVersion, type Registry, type Writer } from './registry.js'
import type { Asked } from './routes.js'
import { parseFieldSelector, parseLabelSelector } from './selectors.js'
import { badRequest, methodNotAllowed, noSuchPath, unsupportedMediaType } from './status-error.js'
import { evict, toScale, withResize, withScale } from './subresources.js'
import { toTable, wantsTable } from './table.js'
import type { Watches } from './watch.js'

export interface World {
  readonly registry: Registry
  readonly pages: Pages
  readonly watches: Watches
  readonly minor: number
  /** A new token of a service account. */
  readonly issueToken: (namespace: string, account: string) => string
}

export interface Call {
  readonly asked: Asked
  readonly user: User
  readonly query: URLSearchParams
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

export interface Answer {
  readonly code: number
  readonly body: object
}

/** @returns undefined where the answer is already under way: a watch */
export async function handle(world: World, call: Call): Promise<Answer | undefined> {
  const { asked } = call
  const kind = world.registry.kind(asked.group, asked.version, asked.plural)
  if (asked.subresource !== undefined && !kind.subresources.includes(asked.subresource)) throw noSuchPath()
  if (kind.isNamespaced && asked.namespace === undefined && asked.verb !== 'list' && asked.verb !== 'watch')
    throw noSuchPath()
  if (asked.verb === 'list') return { code: 200, body: list(world, kind, call) }
  if (asked.verb === 'watch') return watch(world, kind, call)
  const shaped = (object: Stored): object => shape(world, kind, call, object)
  if (asked.verb === 'get') return { code: 200, body: shaped(get(world, kind, asked)) }
  const body = await readBody(call.request)
  const writer = writerOf(call)
  if (asked.verb === 'create') return create(world, kind, call, body, writer)
  if (asked.verb === 'delete') return { code: 200, body: remove(world, kind, asked, body) }
  if (asked.verb === 'update') return { code: 200, body: shaped(await update(world, kind, asked, body, writer)) }
  return patch(world, kind, call, body, writer)
}

function get({ registry }: World, kind: Kind, { namespace, name, subresource }: Asked): Stored {
  const object = registry.get(kind, namespace, name!)
  return subresource === 'scale' ? toScale(kind, object) : object
}

async function create(world: World, kind: Kind, { asked }: Call, body: unknown, writer: Writer): Promise<Answer> {
  const { namespace, name, subresource } = asked
  if (subresource === 'eviction') {
    const wanted = `policy/${evictionVersion(world.minor)}`
    const given = isFields(body) ? body.apiVersion : undefined
    if (given !== wanted && given !== 'policy/v1beta1')
      throw badRequest(`no kind "Eviction" is registered for version "${given}"`)
    return { code: 201, body: await evict(world.registry, kind, namespace!, name!, body, writer) }
  }
  if (subresource === 'token') {
    world.registry.get(kind, namespace, name!)
    return { code: 201, body: { ...(body as object), status: { token: world.issueToken(namespace!, name!) } } }
  }
  if (name !== undefined) throw methodNotAllowed()
  return { code: 201, body: await world.registry.create(kind, namespace, body, writer) }
}

function update(
  world: World,
  kind: Kind,
  { namespace, name, subresource }: Asked,
  body: unknown,
  writer: Writer,
): Promise<Stored> {
  if (subresource !== 'scale') return world.registry.update(kind, namespace, name!, body, writer)
  return scale(world, kind, { namespace, name: name! }, () => body, writer)
}

async function scale(
  world: World,
  kind: Kind,
  ref: { namespace: string | undefined; name: string },
  next: (scale: Stored) => unknown,
  writer: Writer,
): Promise<Stored> {
  const { namespace, name } = ref
  const changed = await world.registry.change(
    kind,
    namespace,
    name,
    (live) => withScale(kind, live, next(toScale(kind, live))),
    writer,
  )
  return toScale(kind, changed)
}

const PATCHES: Readonly<Record<string, (target: unknown, patch: unknown) => unknown>> = {
  'application/merge-patch+json': mergePatch,
  'application/json-patch+json': jsonPatch,
  'application/strategic-merge-patch+json': strategicMergePatch,
}

async function patch(
  world: World,
  kind: Kind,
  { asked, query, request }: Call,
  body: unknown,
  writer: Writer,
): Promise<Answer> {
  const { namespace, subresource } = asked
  const name = asked.name!
  const contentType = request.headers['content-type']?.split(';', 1)[0] ?? ''
  if (contentType === 'application/apply-patch+yaml') {
    if (!query.get('fieldManager')) throw badRequest('fieldManager is required for apply patch')
    const isNew = world.registry.store.get(kind.collection, namespace, name) === undefined
    const applied = await world.registry.apply(kind, namespace, name, body, query.get('force') === 'true', writer)
    return { code: isNew ? 201 : 200, body: applied }
  }
  const change = PATCHES[contentType]
  if (!change || (kind.schema && change === strategicMergePatch)) {
    const taken = Object.keys(PATCHES).filter((type) => !(kind.schema && PATCHES[type] === strategicMergePatch))
    throw unsupportedMediaType(
      `the body of the request was in an unknown format - accepted media types include: ${taken.join(', ')}`,
    )
  }
  if (subresource === 'scale')
    return { code: 200, body: await scale(world, kind, { namespace, name }, (live) => change(live, body), writer) }
  const changed = (live: Stored): unknown => {
    const { resourceVersion, uid, ...metadata } = live.metadata
    const wanted = change({ ...live, metadata }, body)
    return subresource === 'resize' ? withResize(kind, live, wanted) : wanted
  }
  return { code: 200, body: await world.registry.change(kind, namespace, name, changed, writer) }
}

function remove({ registry }: World, kind: Kind, { namespace, name }: Asked, body: unknown): object {
  if (name === undefined) throw methodNotAllowed()
  const object = registry.delete(kind, namespace, name, isFields(body) ? body : {})
  const isStillThere = registry.store.get(kind.collection, namespace, name) !== undefined
  if (isStillThere) return inVersion(kind, object)
  const details = { name, kind: kind.plural, uid: object.metadata.uid, ...(kind.group ? { group: kind.group } : {}) }
  return { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Success', details }
}

function selection(query: URLSearchParams): (object: Stored) => boolean {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '')
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '')
  return (object) => labels(object.metadata.labels ?? {}) && fields(object)
}

function list({ registry, pages }: World, kind: Kind, { asked, query, request }: Call): object {
  const selects = selection(query)
  const all = (): Stored[] => registry.store.list(kind.collection, asked.namespace).filter(selects)
  const { items, ...metadata } = pages.take(all, Number(query.get('limit') ?? 0), query.get('continue') ?? undefined)
  if (wantsTable(request.headers.accept)) return toTable(kind, items, metadata.resourceVersion, registry.clock.now())
  return {
    apiVersion: apiVersionOf(kind),
    kind: `${kind.kind}List`,
    metadata,
    items: items.map((object) => inVersion(kind, object)),
  }
}

function watch(world: World, kind: Kind, call: Call): undefined {
  const { asked, query, response } = call
  const seconds = Number(query.get('timeoutSeconds') ?? 0) || 1800
  world.watches.serve(
    {
      kind,
      namespace: asked.namespace,
      selects: selection(query),
      resourceVersion: query.get('resourceVersion') ?? '',
      timeoutMs: seconds * 1000,
      wantsBookmarks: query.get('allowWatchBookmarks') === 'true',
      shape: (object) => shape(world, kind, call, object),
    },
    response,
  )
}

function shape({ registry }: World, kind: Kind, { asked, request }: Call, object: Stored): object {
  if (!wantsTable(request.headers.accept) || asked.subresource !== undefined) return object
  return toTable(kind, [object], object.metadata.resourceVersion, registry.clock.now())
}

function writerOf({ asked, user, query, request }: Call): Writer {
  return {
    user,
    manager: query.get('fieldManager') ?? request.headers['user-agent']?.split('/', 1)[0] ?? 'unknown',
    subresource: asked.subresource,
    isDryRun: query.get('dryRun') === 'All',
    isStrict: query.get('fieldValidation') === 'Strict',
  }
}

const MOST_BODY_BYTES = 3 * 1024 * 1024

export async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > MOST_BODY_BYTES) throw badRequest('the body of the request is too large')
    chunks.push(chunk)
  }
  return bytes === 0 ? undefined : decode(Buffer.concat(chunks), request)
}

function decode(body: Buffer, { headers, url }: IncomingMessage): unknown {
  const contentType = headers['content-type'] ?? ''
  if (contentType === 'application/vnd.kubernetes.protobuf' && url?.includes('selfsubjectaccessreviews'))
    return readAccessReview(body)
  if (!/json|yaml/.test(contentType))
    throw unsupportedMediaType(`the body is ${contentType}, this server reads JSON and YAML`)
  try {
    return contentType.includes('yaml') ? parse(body.toString()) : JSON.parse(body.toString())
  } catch (error) {
    throw badRequest(`the body of the request is unreadable: ${(error as Error).message}`)
  }
}

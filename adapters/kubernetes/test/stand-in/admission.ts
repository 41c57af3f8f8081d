// Mutating admission webhooks: asked over TLS before an object is kept.
import { randomUUID } from 'node:crypto'
import https from 'node:https'
import type { User } from './access.js'
import { apiVersionOf, type Kind } from './kinds.js'
import type { Fields, Stored } from './objects.js'
import { jsonPatch } from './patch.js'
import { matches } from './selectors.js'
import { StatusError } from './status-error.js'
import type { Store } from './store.js'

export interface Operation {
  readonly operation: 'CREATE' | 'UPDATE'
  readonly kind: Kind
  readonly user: User
  readonly isDryRun: boolean
  readonly subresource: string | undefined
}

interface Webhook {
  readonly name: string
  readonly clientConfig: {
    readonly url?: string
    readonly caBundle?: string
    readonly service?: {
      readonly name: string
      readonly namespace: string
      readonly path?: string
      readonly port?: number
    }
  }
  readonly rules: readonly {
    readonly operations: readonly string[]
    readonly apiGroups: readonly string[]
    readonly resources: readonly string[]
  }[]
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly timeoutSeconds?: number
  readonly objectSelector?: object
  readonly namespaceSelector?: object
}

interface Review {
  readonly response?: {
    readonly uid: string
    readonly allowed: boolean
    readonly patch?: string
    readonly status?: { readonly message?: string; readonly code?: number; readonly reason?: string }
  }
}

/**
 * Lets every webhook whose rules match change the object, in the order of their names.
 * @throws StatusError what a webhook refused; 500 where one with `failurePolicy: Fail` could not be asked
 */
export async function admit(
  store: Store,
  object: Stored,
  before: Stored | undefined,
  asked: Operation,
): Promise<Stored> {
  const configurations = store.list('admissionregistration.k8s.io/mutatingwebhookconfigurations')
  let admitted = object
  for (const webhook of configurations.flatMap(({ webhooks }) => (webhooks as Webhook[] | undefined) ?? [])) {
    if (isAsked(store, webhook, admitted, asked)) admitted = await ask(webhook, admitted, before, asked)
  }
  return admitted
}

function isAsked(
  store: Store,
  { rules, objectSelector, namespaceSelector }: Webhook,
  { metadata }: Stored,
  asked: Operation,
): boolean {
  const { group, plural } = asked.kind
  const resource = asked.subresource ? `${plural}/${asked.subresource}` : plural
  const has = (list: readonly string[], value: string): boolean => list.includes('*') || list.includes(value)
  const isRuled = rules.some(
    ({ operations, apiGroups, resources }) =>
      has(operations, asked.operation) && has(apiGroups, group) && has(resources, resource),
  )
  const namespace =
    metadata.namespace === undefined ? undefined : store.get('/namespaces', undefined, metadata.namespace)
  return (
    isRuled &&
    matches(objectSelector ?? {}, metadata.labels) &&
    matches(namespaceSelector ?? {}, namespace?.metadata.labels)
  )
}

async function ask(webhook: Webhook, object: Stored, before: Stored | undefined, asked: Operation): Promise<Stored> {
  const uid = randomUUID()
  const { kind, operation, user, isDryRun } = asked
  const id = { group: kind.group, version: kind.version }
  const request = {
    uid,
    kind: { ...id, kind: kind.kind },
    resource: { ...id, resource: kind.plural },
    name: object.metadata.name,
    namespace: object.metadata.namespace,
    operation,
    userInfo: { username: user.name, groups: user.groups },
    object,
    oldObject: before ?? null,
    dryRun: isDryRun,
  }
  let response: Review['response']
  try {
    const review = await post(webhook, { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request })
    response = review.response
    if (response?.uid !== uid) throw new Error('the answer has another uid')
  } catch (error) {
    if (webhook.failurePolicy === 'Ignore') return object
    throw new StatusError(
      500,
      'InternalError',
      `Internal error occurred: failed calling webhook "${webhook.name}": ${(error as Error).message}`,
    )
  }
  const { allowed, patch, status = {} } = response
  if (!allowed) {
    const why = status.message ?? 'unknown reason'
    throw new StatusError(
      status.code ?? 403,
      status.reason ?? 'Forbidden',
      `admission webhook "${webhook.name}" denied the request: ${why}`,
    )
  }
  const patched = patch === undefined ? object : jsonPatch(object, JSON.parse(Buffer.from(patch, 'base64').toString()))
  return { ...(patched as Stored), apiVersion: apiVersionOf(kind) }
}

function post({ clientConfig, timeoutSeconds = 10 }: Webhook, review: Fields): Promise<Review> {
  const { url, caBundle, service } = clientConfig
  if (url === undefined)
    throw new Error(`service ${service?.namespace}/${service?.name} cannot be resolved here: give clientConfig.url`)
  const ca = caBundle && Buffer.from(caBundle, 'base64').toString()
  const options = {
    method: 'POST',
    ca,
    headers: { 'content-type': 'application/json' },
    timeout: timeoutSeconds * 1000,
  }
  return new Promise((resolve, reject) => {
    const request = https.request(url, options, async (answer) => {
      try {
        const chunks: Buffer[] = []
        for await (const chunk of answer) chunks.push(chunk)
        if (answer.statusCode !== 200) throw new Error(`it answered ${answer.statusCode}`)
        resolve(JSON.parse(Buffer.concat(chunks).toString()))
      } catch (error) {
        reject(error)
      }
    })
    request.on('timeout', () => request.destroy(new Error('context deadline exceeded')))
    request.on('error', reject)
    request.end(JSON.stringify(review))
  })
}

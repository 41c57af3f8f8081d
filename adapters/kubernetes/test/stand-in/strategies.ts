// What the server itself adds to objects of a kind, and what it refuses (422).
import type { ContainerResources, LabelSelector } from '../../src/index.js'
import { parseQuantity } from '../../src/quantity.js'
import { problemsOf, pruned, withDefaults } from '../../src/schema/structural-schema.js'
import type { Kind } from './kinds.js'
import { at, type Fields, isFields, isSame, type Stored } from './objects.js'
import { matches } from './selectors.js'
import { badRequest, type Cause } from './status-error.js'

const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const QUANTITY = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'

/** A definition is served as soon as it is there. */
const ESTABLISHED = {
  conditions: ['NamesAccepted', 'Established'].map((type) => ({ type, status: 'True', reason: 'NoConflicts' })),
}

/** @param strict  unknown fields are refused, as `fieldValidation=Strict` asks; else they are dropped */
export function withServerDefaults(kind: Kind, object: Stored, strict: boolean): Stored {
  if (kind.schema) {
    const unknown: string[] = []
    const { apiVersion, kind: name, metadata, ...rest } = object
    const content = pruned(kind.schema, rest, unknown)
    if (strict && unknown.length > 0)
      throw badRequest(`strict decoding error: ${unknown.map((field) => `unknown field "${field}"`).join(', ')}`)
    return { apiVersion, kind: name, metadata, ...withDefaults(kind.schema, content) }
  }
  if (kind.plural === 'deployments')
    return {
      ...object,
      spec: { replicas: 1, strategy: { type: 'RollingUpdate' }, progressDeadlineSeconds: 600, ...object.spec },
    }
  if (kind.plural === 'replicasets') return { ...object, spec: { replicas: 1, ...object.spec } }
  if (kind.plural === 'pods')
    return {
      ...object,
      spec: { restartPolicy: 'Always', terminationGracePeriodSeconds: 30, ...object.spec },
      status: { phase: 'Pending', ...object.status },
    }
  if (kind.plural === 'customresourcedefinitions') return { ...object, status: { ...object.status, ...ESTABLISHED } }
  if (kind.plural === 'namespaces') return { ...object, status: { phase: 'Active' } }
  return object
}

/** Everything that is wrong with an object. */
export function causesAgainst(kind: Kind, object: Stored, before: Stored | undefined): Cause[] {
  const causes = [...nameCauses(kind, object), ...immutableCauses(kind, object, before)]
  if (kind.schema) {
    const { apiVersion: _, kind: _kind, metadata: _metadata, ...content } = object
    causes.push(...problemsOf(kind.schema, content))
  }
  if (kind.plural === 'deployments' || kind.plural === 'replicasets') causes.push(...workloadCauses(object))
  if (kind.plural === 'pods') causes.push(...containerCauses(object.spec, 'spec'))
  if (kind.plural === 'poddisruptionbudgets') causes.push(...budgetCauses(object))
  if (kind.plural === 'leases') causes.push(...positive(object, 'spec.leaseDurationSeconds'))
  return causes
}

const cause = (field: string, reason: string, message: string): Cause => ({ field, reason, message })
const required = (field: string): Cause => cause(field, 'FieldValueRequired', 'Required value')
const wrong = (field: string, value: unknown, message: string): Cause =>
  cause(field, 'FieldValueInvalid', `Invalid value: ${JSON.stringify(value)}: ${message}`)

function nameCauses({ group }: Kind, { metadata }: Stored): Cause[] {
  const { name } = metadata
  if (NAME.test(name) && name.length <= 253) return []
  if (group === 'rbac.authorization.k8s.io') return []
  return [
    wrong(
      'metadata.name',
      name,
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'",
    ),
  ]
}

function immutableCauses({ plural }: Kind, object: Stored, before: Stored | undefined): Cause[] {
  if (!before) return []
  const fixed =
    plural === 'deployments' || plural === 'replicasets'
      ? ['spec.selector']
      : plural === 'pods'
        ? ['spec.nodeName']
        : []
  return fixed
    .filter((path) => at(before, path) !== undefined && !isSame(at(before, path), at(object, path)))
    .map((path) => wrong(path, at(object, path), 'field is immutable'))
}

function positive(object: Stored, field: string): Cause[] {
  const value = at(object, field)
  return value === undefined || Number(value) > 0 ? [] : [wrong(field, value, 'must be greater than 0')]
}

function workloadCauses(object: Stored): Cause[] {
  const { replicas, selector, template } = (object.spec ?? {}) as {
    replicas?: number
    selector?: LabelSelector
    template?: Fields
  }
  const causes: Cause[] = []
  if (Number(replicas) < 0) causes.push(wrong('spec.replicas', replicas, 'must be greater than or equal to 0'))
  if (selector === undefined) causes.push(required('spec.selector'))
  const labels = at(template, 'metadata.labels') as Record<string, string> | undefined
  if (selector && !matches(selector, labels))
    causes.push(wrong('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`'))
  return [...causes, ...containerCauses(template?.spec, 'spec.template.spec')]
}

function containerCauses(spec: unknown, path: string): Cause[] {
  const containers = isFields(spec)
    ? (spec.containers as { name?: string; image?: string; resources?: ContainerResources }[] | undefined)
    : undefined
  if (!containers?.length) return [required(`${path}.containers`)]
  return containers.flatMap(({ name, image, resources }, index) => {
    const here = `${path}.containers[${index}]`
    return [
      ...(name ? [] : [required(`${here}.name`)]),
      ...(image ? [] : [required(`${here}.image`)]),
      ...resourceCauses(resources, `${here}.resources`),
    ]
  })
}

export function resourceCauses({ requests = {}, limits = {} }: ContainerResources = {}, path: string): Cause[] {
  const causes: Cause[] = []
  for (const [list, quantities] of Object.entries({ requests, limits })) {
    for (const [name, quantity] of Object.entries(quantities)) {
      const field = `${path}.${list}[${name}]`
      const value = numberOf(quantity)
      if (value === undefined)
        causes.push(wrong(field, quantity, `quantities must match the regular expression '${QUANTITY}'`))
      else if (value < 0) causes.push(wrong(field, quantity, 'must be greater than or equal to 0'))
    }
  }
  for (const [name, request] of Object.entries(requests)) {
    const limit = limits[name]
    const exceeds = limit !== undefined && (numberOf(request) ?? 0) > (numberOf(limit) ?? Number.POSITIVE_INFINITY)
    if (exceeds)
      causes.push(wrong(`${path}.requests`, request, `must be less than or equal to ${name} limit of ${limit}`))
  }
  return causes
}

function numberOf(quantity: string): number | undefined {
  try {
    return parseQuantity(quantity)
  } catch {
    return undefined // said as a cause
  }
}

function budgetCauses({ spec = {} }: Stored): Cause[] {
  const isBoth = spec.minAvailable !== undefined && spec.maxUnavailable !== undefined
  return isBoth ? [wrong('spec', spec, 'minAvailable and maxUnavailable cannot be both set')] : []
}

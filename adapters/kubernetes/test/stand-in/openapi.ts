// OpenAPI v3 as far as kubectl reads it: that the server checks fields itself (`fieldValidation`), and what `kubectl explain` prints.
import type { StructuralSchema } from '../../src/schema/structural-schema.js'
import { apiVersionOf, type Kind } from './kinds.js'

const rootOf = (kind: Kind): string => (kind.group === '' ? 'api/v1' : `apis/${apiVersionOf(kind)}`)

/** The answer to a path below `/openapi`; undefined: it is none. */
export function openApi(path: string, kinds: readonly Kind[]): object | undefined {
  if (path === '/openapi/v3') {
    const roots = [...new Set(kinds.map(rootOf))]
    return { paths: Object.fromEntries(roots.map((root) => [root, { serverRelativeURL: `/openapi/v3/${root}` }])) }
  }
  const [, root] = /^\/openapi\/v3\/(.+)$/.exec(path) ?? []
  const served = kinds.filter((kind) => rootOf(kind) === root)
  return served.length === 0 ? undefined : documentOf(served)
}

function documentOf(kinds: readonly Kind[]): object {
  return {
    openapi: '3.0.0',
    info: { title: 'stand-in', version: 'none' },
    paths: Object.fromEntries(
      kinds.map((kind) => [pathOf(kind), { patch: operation(kind), post: operation(kind), put: operation(kind) }]),
    ),
    components: {
      schemas: Object.fromEntries(kinds.map((kind) => [schemaName(kind), { ...schemaOf(kind), ...idOf(kind, true) }])),
    },
  }
}

const pathOf = (kind: Kind): string =>
  `/${rootOf(kind)}/${kind.isNamespaced ? 'namespaces/{namespace}/' : ''}${kind.plural}/{name}`
const schemaName = ({ group, version, kind }: Kind): string =>
  `${(group || 'core').split('.').reverse().join('.')}.${version}.${kind}`

function operation(kind: Kind): object {
  const parameter = (name: string): object => ({ name, in: 'query', schema: { type: 'string' } })
  return {
    parameters: ['fieldManager', 'fieldValidation', 'dryRun'].map(parameter),
    responses: {},
    ...idOf(kind, false),
  }
}

function idOf({ group, version, kind }: Kind, isList: boolean): object {
  const id = { group, version, kind }
  return { 'x-kubernetes-group-version-kind': isList ? [id] : id }
}

function schemaOf({ schema, kind }: Kind): StructuralSchema {
  const meta: StructuralSchema = { type: 'object', description: 'name, namespace, labels, annotations' }
  const text: StructuralSchema = { type: 'string' }
  const properties = { apiVersion: text, kind: text, ...schema?.properties, metadata: meta }
  return { type: 'object', description: schema?.description ?? kind, properties }
}

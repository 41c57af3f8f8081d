/** A structural schema, as CustomResourceDefinitions carry it: the part of OpenAPI v3 that Kubernetes takes. */
export interface StructuralSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  readonly description?: string
  readonly properties?: Readonly<Record<string, StructuralSchema>>
  readonly additionalProperties?: StructuralSchema
  readonly required?: readonly string[]
  readonly items?: StructuralSchema
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly exclusiveMinimum?: boolean
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly pattern?: string
  readonly format?: string
  readonly nullable?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
}

/** One thing that a schema does not allow. */
export interface SchemaProblem {
  /** `spec.bounds.replicas.min`. */
  readonly field: string
  /** As the API server names it: `FieldValueInvalid`, `FieldValueRequired`, … */
  readonly reason: string
  readonly message: string
}

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

/** The value with every default filled in where an object is there and its field is not; as the API server does it. */
export function withDefaults<T>(schema: StructuralSchema, value: T): T {
  if (Array.isArray(value)) return value.map((item) => (schema.items ? withDefaults(schema.items, item) : item)) as T
  if (!isFields(value)) return value
  const filled: Fields = { ...value }
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const isUnset = filled[name] === undefined || (filled[name] === null && !field.nullable)
    if (isUnset && field.default !== undefined) filled[name] = structuredClone(field.default)
    if (filled[name] !== undefined) filled[name] = withDefaults(field, filled[name])
  }
  for (const [name, field] of extras(schema, filled)) filled[name] = withDefaults(field, filled[name])
  return filled as T
}

/** The value without the fields that the schema does not know; their paths are added to `unknown`. */
export function pruned<T>(schema: StructuralSchema, value: T, unknown: string[] = [], path = ''): T {
  if (Array.isArray(value))
    return value.map((item, at) => (schema.items ? pruned(schema.items, item, unknown, `${path}[${at}]`) : item)) as T
  if (!isFields(value)) return value
  const kept: Fields = {}
  for (const [name, content] of Object.entries(value)) {
    const field = schema.properties?.[name] ?? schema.additionalProperties
    if (field) kept[name] = pruned(field, content, unknown, below(path, name))
    else if (schema['x-kubernetes-preserve-unknown-fields']) kept[name] = content
    else unknown.push(below(path, name))
  }
  return kept as T
}

/** Everything that the schema does not allow, in the API server's words. */
export function problemsOf(schema: StructuralSchema, value: unknown, path = ''): SchemaProblem[] {
  if (value === null && schema.nullable) return []
  const isIntOrString = schema['x-kubernetes-int-or-string'] && (typeof value === 'string' || Number.isInteger(value))
  if (!isIntOrString && schema.type !== undefined && !hasType(schema.type, value))
    return [wrongType(schema.type, value, path)]
  const invalid = (message: string): SchemaProblem => ({
    field: path,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${shown(value)}: ${path} in body ${message}`,
  })
  const problems = boundsBroken(schema, value).map(invalid)
  if (schema.enum && !schema.enum.includes(value)) {
    const supported = schema.enum.map((choice) => JSON.stringify(choice)).join(', ')
    problems.push({
      field: path,
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${shown(value)}: supported values: ${supported}`,
    })
  }
  if (Array.isArray(value) && schema.items)
    problems.push(...value.flatMap((item, at) => problemsOf(schema.items!, item, `${path}[${at}]`)))
  if (isFields(value)) problems.push(...fieldProblems(schema, value, path))
  return problems
}

function fieldProblems(schema: StructuralSchema, value: Fields, path: string): SchemaProblem[] {
  const missing = (schema.required ?? []).filter((name) => value[name] === undefined)
  const known = Object.entries(schema.properties ?? {}).filter(([name]) => value[name] !== undefined)
  return [
    ...missing.map((name) => ({ field: below(path, name), reason: 'FieldValueRequired', message: 'Required value' })),
    ...[...known, ...extras(schema, value)].flatMap(([name, field]) =>
      problemsOf(field, value[name], below(path, name)),
    ),
  ]
}

/** Fields of a map, whose names the schema does not say. */
function extras(
  { additionalProperties, properties = {} }: StructuralSchema,
  value: Fields,
): [string, StructuralSchema][] {
  if (additionalProperties === undefined) return []
  return Object.keys(value).flatMap((name) => (name in properties ? [] : [[name, additionalProperties]]))
}

function boundsBroken(schema: StructuralSchema, value: unknown): string[] {
  const broken: string[] = []
  const { minimum, exclusiveMinimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema
  if (typeof value === 'number') {
    const isBelow = minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)
    if (isBelow) broken.push(`should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`)
    if (maximum !== undefined && value > maximum) broken.push(`should be less than or equal to ${maximum}`)
  }
  if (typeof value === 'string') {
    if (minLength !== undefined && value.length < minLength) broken.push(`should be at least ${minLength} chars long`)
    if (maxLength !== undefined && value.length > maxLength) broken.push(`should be at most ${maxLength} chars long`)
    if (pattern !== undefined && !new RegExp(pattern).test(value)) broken.push(`should match '${pattern}'`)
  }
  if (Array.isArray(value)) {
    if (minItems !== undefined && value.length < minItems) broken.push(`should have at least ${minItems} items`)
    if (maxItems !== undefined && value.length > maxItems) broken.push(`should have at most ${maxItems} items`)
  }
  if (isFields(value)) {
    const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema
    const count = Object.keys(value).length
    if (count < minProperties) broken.push(`should have at least ${minProperties} properties`)
    if (count > maxProperties) broken.push(`should have at most ${maxProperties} properties`)
  }
  return broken
}

function hasType(type: NonNullable<StructuralSchema['type']>, value: unknown): boolean {
  if (type === 'object') return isFields(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

const wrongType = (type: string, value: unknown, field: string): SchemaProblem => ({
  field,
  reason: 'FieldValueTypeInvalid',
  message: `Invalid value: ${shown(value)}: ${field} in body must be of type ${type}: ${shown(kindOf(value))}`,
})

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)
const shown = (value: unknown): string =>
  isFields(value) || Array.isArray(value) ? `"${kindOf(value)}"` : JSON.stringify(value)

import type { StructuralSchema } from './structural-schema.js'

/** Fields of a schema as a table in Markdown: path, type, default, what it means. */
export function fieldTable(schema: StructuralSchema, path: string): string {
  const rows = rowsOf(schema, path).map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
  )
  return ['| field | type | default | |', '| --- | --- | --- | --- |', ...rows, ''].join('\n')
}

function rowsOf(schema: StructuralSchema, path: string): string[][] {
  const inside = schema.items ? { ...schema.items, at: `${path}[]` } : { ...schema, at: path }
  return Object.entries(inside.properties ?? {}).flatMap(([name, field]) => {
    const at = `${inside.at}.${name}`
    const isRequired = inside.required?.includes(name)
    const preset = field.default === undefined ? (isRequired ? 'required' : '') : code(JSON.stringify(field.default))
    return [[code(at), typeOf(field), preset === '`{}`' ? '' : preset, field.description ?? ''], ...rowsOf(field, at)]
  })
}

const code = (text: string): string => `\`${text}\``

function typeOf(schema: StructuralSchema): string {
  const { type, items, minimum, maximum, exclusiveMinimum } = schema
  if (schema['x-kubernetes-int-or-string']) return 'number or quantity'
  if (schema.enum) return schema.enum.map((choice) => code(String(choice))).join(', ')
  if (items) return `list of ${typeOf(items)}`
  const low = minimum === undefined ? '' : exclusiveMinimum ? `above ${minimum}` : `from ${minimum}`
  const high = maximum === undefined ? '' : `to ${maximum}`
  return [type ?? 'anything', low, high].filter(Boolean).join(' ')
}

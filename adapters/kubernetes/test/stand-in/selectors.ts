// Label and field selectors, as queries and as objects.
import type { LabelSelector } from '../../src/index.js'
import { at, type Stored } from './objects.js'
import { badRequest } from './status-error.js'

type Test = (labels: Readonly<Record<string, string>>) => boolean

/** `app=web,tier!=cache,zone in (a,b),!legacy`. */
export function parseLabelSelector(text: string): Test {
  const tests = (text.match(/[^,(]+(\([^)]*\))?/g) ?? []).map((part) => requirement(part.trim()))
  return (labels) => tests.every((test) => test(labels))
}

function requirement(part: string): Test {
  const [, setKey, not, values] = /^(\S+)\s+(not)?in\s*\(([^)]*)\)$/.exec(part.replace(/\bnotin\b/, 'notin')) ?? []
  if (setKey !== undefined) {
    const allowed = new Set(values!.split(',').map((value) => value.trim()))
    return (labels) => allowed.has(labels[setKey]!) !== (not !== undefined)
  }
  const [, key, operator, value] = /^([\w./-]+)\s*(==?|!=)\s*([\w.-]*)$/.exec(part) ?? []
  if (key !== undefined) return (labels) => (operator === '!=' ? labels[key] !== value : labels[key] === value)
  const [, absent, name] = /^(!)?([\w./-]+)$/.exec(part) ?? []
  if (name === undefined) throw badRequest(`unable to parse requirement: ${part}`)
  return (labels) => name in labels !== (absent !== undefined)
}

export function matches(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  const isIn = (key: string, values: readonly string[] = []): boolean => values.includes(labels[key]!)
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => {
      if (operator === 'In') return isIn(key, values)
      if (operator === 'NotIn') return !isIn(key, values)
      return key in labels === (operator === 'Exists')
    })
  )
}

/** `app=web,tier in (a,b)`, as `scale` says it. */
export function formatSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const words = { In: 'in', NotIn: 'notin', Exists: '', DoesNotExist: '!' }
  return [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key, operator, values }) =>
      values ? `${key} ${words[operator]} (${values.join(',')})` : `${words[operator]}${key}`,
    ),
  ].join(',')
}

const SELECTABLE =
  /^(metadata\.(name|namespace)|spec\.(nodeName|restartPolicy)|status\.phase|type|reason|reportingComponent|source|involvedObject\.\w+)$/

/** `metadata.name=web,status.phase!=Running`. */
export function parseFieldSelector(text: string): (object: Stored) => boolean {
  const tests = text
    .split(',')
    .filter(Boolean)
    .map((part) => {
      const [, field, operator, value] = /^([\w.]+)(==?|!=)(.*)$/.exec(part.trim()) ?? []
      if (field === undefined || !SELECTABLE.test(field))
        throw badRequest(`field label not supported: ${field ?? part}`)
      return (object: Stored) => (String(at(object, field) ?? '') === value) !== (operator === '!=')
    })
  return (object) => tests.every((test) => test(object))
}

import { FormatError, Problems } from '@trimtab/core'
import { ANOMALY_KINDS, ANOMALY_PATTERNS, type Anomaly } from './anomaly.js'
import type { ServiceGraph } from './graph.js'

/**
 * A plan of anomalies and so the ground truth of what went wrong (3.2.6). As a file, JSON:
 * ```json
 * {
 *   "format": "trimtab-campaign/1",
 *   "name": "two at once",
 *   "anomalies": [
 *     { "kind": "cpu", "target": { "service": "cart", "replica": 0 },
 *       "startSeconds": 30, "durationSeconds": 10, "pattern": "ramp", "intensity": 0.8 },
 *     { "kind": "workload", "target": { "request": "checkout" },
 *       "startSeconds": 35, "durationSeconds": 20, "intensity": 0.4 }
 *   ]
 * }
 * ```
 * `kind`: workload, network-delay, cpu, llc, memory-bandwidth, disk-io or network-bandwidth; `pattern`: constant (default),
 * step, ramp, sine or random; `replica`: from 0, all of the service when absent; anomalies may overlap, in any order.
 */
export interface Campaign {
  readonly name: string
  readonly anomalies: readonly Anomaly[]
}

const FORMAT = 'trimtab-campaign/1'

/**
 * Reads a campaign file.
 * @param graph  when given, targets must exist in it
 * @throws {FormatError} `campaign_invalid` (no JSON, another format)
 * @throws {ConfigError} `config_invalid` with every problem, each with its path
 */
export function parseCampaign(text: string, graph?: ServiceGraph): Campaign {
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch (cause) {
    throw new FormatError('campaign_invalid', `a campaign is a JSON file: ${(cause as Error).message}`, { cause })
  }
  if (!isRecord(file) || file.format !== FORMAT)
    throw new FormatError(
      'campaign_invalid',
      `a campaign says "format": "${FORMAT}", got ${shown(isRecord(file) ? file.format : file)}`,
    )
  const { name = 'campaign', anomalies } = file
  const problems = new Problems()
  problems.check(typeof name === 'string', `name must be a text, got ${shown(name)}`)
  problems.check(Array.isArray(anomalies), `anomalies must be a list, got ${shown(anomalies)}`)
  for (const key of Object.keys(file))
    problems.check(['format', 'name', 'anomalies'].includes(key), `${key} is not a field of a campaign`)
  if (Array.isArray(anomalies)) {
    for (const [i, anomaly] of anomalies.entries()) checkAnomaly(problems, `anomalies[${i}]`, anomaly, graph)
  }
  problems.throwIfAny('campaign')
  return { name: name as string, anomalies: anomalies as Anomaly[] }
}

/** The file of a campaign. */
export function formatCampaign({ name, anomalies }: Campaign): string {
  return `${JSON.stringify({ format: FORMAT, name, anomalies }, undefined, 2)}\n`
}

/** @throws {ConfigError} `config_invalid` with every problem, each with its path */
export function checkCampaign(campaign: Campaign, graph?: ServiceGraph): void {
  const problems = new Problems()
  for (const [i, anomaly] of campaign.anomalies.entries()) checkAnomaly(problems, `anomalies[${i}]`, anomaly, graph)
  problems.throwIfAny('campaign')
}

const FIELDS = ['kind', 'target', 'startSeconds', 'durationSeconds', 'pattern', 'intensity']

function checkAnomaly(problems: Problems, path: string, anomaly: unknown, graph: ServiceGraph | undefined): void {
  if (!isRecord(anomaly)) {
    problems.check(false, `${path} must be an object, got ${shown(anomaly)}`)
    return
  }
  const { kind, target, startSeconds, durationSeconds, pattern = 'constant', intensity } = anomaly
  const oneOf = (name: string, value: unknown, values: readonly string[]): void =>
    problems.check(
      values.includes(value as string),
      `${path}.${name} must be ${values.join(', ')}; got ${shown(value)}`,
    )
  const within = (name: string, value: unknown, holds: (value: number) => boolean, range: string): void =>
    problems.check(
      Number.isFinite(value) && holds(value as number),
      `${path}.${name} must be ${range}, got ${shown(value)}`,
    )
  oneOf('kind', kind, ANOMALY_KINDS)
  oneOf('pattern', pattern, ANOMALY_PATTERNS)
  within('startSeconds', startSeconds, (value) => value >= 0, '>= 0')
  within('durationSeconds', durationSeconds, (value) => value > 0, 'above 0')
  within('intensity', intensity, (value) => value >= 0 && value <= 1, '0 … 1')
  for (const key of Object.keys(anomaly))
    problems.check(FIELDS.includes(key), `${path}.${key} is not a field of an anomaly`)
  checkTarget(problems, `${path}.target`, target, kind, graph)
}

function checkTarget(problems: Problems, path: string, target: unknown, kind: unknown, graph?: ServiceGraph): void {
  if (!isRecord(target) || (typeof target.service === 'string') === (typeof target.request === 'string')) {
    problems.check(false, `${path} must be { service }, { service, replica } or { request }, got ${shown(target)}`)
    return
  }
  const { service, replica, request } = target
  for (const key of Object.keys(target))
    problems.check(['service', 'replica', 'request'].includes(key), `${path}.${key} is not a field of a target`)
  if (typeof request === 'string') {
    problems.check(kind === 'workload', `${path}.request is for workload; ${shown(kind)} needs a service`)
    problems.check(replica === undefined, `${path}.replica goes with a service, not with a request`)
    const known = graph?.requests.map(({ name }) => name)
    problems.check(
      known?.includes(request) ?? true,
      `${path}.request must be one of ${known?.join(', ')}; got ${shown(request)}`,
    )
    return
  }
  const found = graph?.services.find(({ name }) => name === service)
  problems.check(
    !graph || found !== undefined,
    `${path}.service must be a service of ${graph?.name}, got ${shown(service)}`,
  )
  const last = (found?.replicas ?? Number.POSITIVE_INFINITY) - 1
  const isReplica = Number.isInteger(replica) && (replica as number) >= 0 && (replica as number) <= last
  problems.check(
    replica === undefined || isReplica,
    `${path}.replica must be a whole number 0 … ${last}, got ${shown(replica)}`,
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value as a message quotes it. */
const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value))

import { ConfigError } from '@trimtab/core'
import { OPERATOR_NAMESPACE, OPERATOR_PARTS, type OperatorPart } from '../names.js'

/** How the operator is installed. */
export interface InstallOptions {
  /** Where it is; default `trimtab-system`. */
  readonly namespace?: string | undefined
  /** Its container image, which `adapters/operator/Dockerfile` builds; none is published yet. */
  readonly image?: string | undefined
  /** Which parts; default all. `['recommender']` changes nothing in the cluster but the status of autoscalers. */
  readonly parts?: readonly OperatorPart[] | undefined
  /** Where Prometheus answers; default `http://prometheus.monitoring.svc:9090`. */
  readonly prometheusUrl?: string | undefined
  /** Seconds between passes; default 15. */
  readonly periodSeconds?: number | undefined
  /** Pods of each part, of which one leads; default 2. */
  readonly replicas?: number | undefined
  /** Which namespaces are looked after; default all. */
  readonly watchedNamespaces?: readonly string[] | undefined
  /** With ServiceMonitor, alerts and dashboard; needs the kinds of the Prometheus operator. Default false. */
  readonly monitoring?: boolean | undefined
  /** Of PodDisruptionBudgets, as `discoverCapabilities` says; default `policy/v1`, which clusters have from 1.21 on. */
  readonly disruptionBudgets?: 'policy/v1' | 'policy/v1beta1' | undefined
}

/** The same with every default filled in; without watched namespaces: all. */
export type InstallSettings = Required<{ readonly [K in keyof InstallOptions]: NonNullable<InstallOptions[K]> }>

/** The image that the Dockerfile is told to make. */
export const DEFAULT_IMAGE = 'trimtab-operator:0.1.0'

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/

/**
 * Fills in the defaults.
 * @throws {ConfigError} `config_invalid`, with every problem
 */
export function readInstallOptions(options: InstallOptions): InstallSettings {
  const settings: InstallSettings = {
    namespace: options.namespace ?? OPERATOR_NAMESPACE,
    image: options.image ?? DEFAULT_IMAGE,
    parts: options.parts ?? OPERATOR_PARTS,
    prometheusUrl: options.prometheusUrl ?? 'http://prometheus.monitoring.svc:9090',
    periodSeconds: options.periodSeconds ?? 15,
    replicas: options.replicas ?? 2,
    watchedNamespaces: options.watchedNamespaces ?? [],
    monitoring: options.monitoring ?? false,
    disruptionBudgets: options.disruptionBudgets ?? 'policy/v1',
  }
  const problems = problemsOf(settings)
  if (problems.length > 0) throw new ConfigError('config_invalid', `the installation: ${problems.join('; ')}`)
  return settings
}

function problemsOf(settings: InstallSettings): string[] {
  const { namespace, image, parts, prometheusUrl, periodSeconds, replicas, watchedNamespaces } = settings
  const problems = [namespace, ...watchedNamespaces]
    .filter((name) => !NAMESPACE.test(name))
    .map((name) => `a namespace must be lower case letters, digits and -, got ${JSON.stringify(name)}`)
  if (/^(default|kube-.*)$/.test(namespace))
    problems.push(`namespace ${namespace} belongs to the cluster: give the operator one of its own`)
  if (!/^\S+$/.test(image)) problems.push(`image must be a name without spaces, got ${JSON.stringify(image)}`)
  if (parts.length === 0) problems.push('parts must name at least one')
  if (!URL.canParse(prometheusUrl) || !/^https?:/.test(prometheusUrl))
    problems.push(`prometheusUrl must be an http(s) URL, got ${JSON.stringify(prometheusUrl)}`)
  for (const [name, value] of Object.entries({ periodSeconds, replicas })) {
    if (!(Number.isInteger(value) && value >= 1))
      problems.push(`${name} must be a whole number from 1 on, got ${value}`)
  }
  return problems
}

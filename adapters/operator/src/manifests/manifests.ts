import { customResourceDefinition } from '@trimtab/kubernetes'
import type { OperatorPart } from '../names.js'
import { monitoring } from './monitoring/monitoring.js'
import { networkPolicy, service } from './network.js'
import { LABELS, type ManifestObject, manifest } from './object.js'
import { type InstallOptions, type InstallSettings, readInstallOptions } from './options.js'
import { roles, userRoles } from './roles.js'
import { webhookConfiguration } from './webhook.js'
import { workload } from './workloads.js'

/** The Namespace, in which nothing runs that the restricted PodSecurity standard does not allow. */
export function namespaceObject({ namespace }: InstallSettings): ManifestObject {
  const levels = ['enforce', 'audit', 'warn'].map((mode) => [`pod-security.kubernetes.io/${mode}`, 'restricted'])
  return manifest('v1', 'Namespace', { name: namespace, labels: Object.fromEntries(levels) }, {})
}

/** The definition of MultidimPodAutoscaler, labelled as the operator's. */
function definition(): ManifestObject {
  const { metadata, ...rest } = customResourceDefinition() as ManifestObject
  return { ...rest, metadata: { ...metadata, labels: LABELS } } as ManifestObject
}

/** What every installation has: the kind, and who may use it. */
export const sharedObjects = (): ManifestObject[] => [definition(), ...userRoles()]

/** Everything of one part. */
export function partObjects(part: OperatorPart, settings: InstallSettings): ManifestObject[] {
  return [
    ...roles(part, settings),
    ...workload(part, settings),
    networkPolicy(part, settings),
    ...(part === 'recommender' ? [service(part, 'keda', settings)] : []),
    ...(part === 'admission' ? [service(part, 'webhook', settings), webhookConfiguration(settings)] : []),
  ]
}

/**
 * Every object of an installation, in the order in which they are applied.
 * @throws {ConfigError} `config_invalid`, with every problem of the options
 */
export function operatorObjects(options: InstallOptions = {}): ManifestObject[] {
  const settings = readInstallOptions(options)
  return [
    namespaceObject(settings),
    ...sharedObjects(),
    ...settings.parts.flatMap((part) => partObjects(part, settings)),
    ...(settings.monitoring ? monitoring(settings) : []),
  ]
}

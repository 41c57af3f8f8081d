// The pods of a part: several, of which one leads; not root, with nothing to write on and no capability.
import { nameOf, type OperatorPart } from '../names.js'
import { type ManifestObject, manifest, selectorOf } from './object.js'
import type { InstallSettings } from './options.js'

/** Ports of the operator's containers. */
export const PORTS = { metrics: 8080, webhook: 8443, keda: 8081 } as const

/** What a container of a part asks for, and where its memory ends. */
export const RESOURCES: Readonly<Record<OperatorPart, object>> = {
  recommender: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1Gi' } },
  updater: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } },
  admission: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } },
}

/** What each part listens on besides metrics, and is told besides its name. */
const PORT_OF: Readonly<Record<OperatorPart, 'keda' | 'webhook' | undefined>> = {
  recommender: 'keda',
  updater: undefined,
  admission: 'webhook',
}

/** The ports of a part: name and number. */
export function portsOf(part: OperatorPart): readonly (readonly [name: string, port: number])[] {
  const own = PORT_OF[part]
  return [['metrics', PORTS.metrics], ...(own ? [[own, PORTS[own]] as const] : [])]
}

function argumentsOf(part: OperatorPart, settings: InstallSettings): string[] {
  const { prometheusUrl, periodSeconds, watchedNamespaces } = settings
  return [
    'operator',
    `--parts=${part}`,
    '--namespace=$(NAMESPACE)',
    `--metrics-port=${PORTS.metrics}`,
    ...(part === 'recommender' ? [`--prometheus=${prometheusUrl}`, `--keda-port=${PORTS.keda}`] : []),
    ...(part === 'admission' ? [`--admission-port=${PORTS.webhook}`] : [`--period=${periodSeconds}`]),
    ...watchedNamespaces.map((name) => `--watch-namespace=${name}`),
  ]
}

const probe = (path: string, periodSeconds: number): object => ({
  httpGet: { path, port: 'metrics' },
  periodSeconds,
  timeoutSeconds: 5,
})

/** A Deployment, and the budget that keeps one of its pods when nodes are drained. */
export function workload(part: OperatorPart, settings: InstallSettings): ManifestObject[] {
  const { namespace, image, replicas, disruptionBudgets } = settings
  const name = nameOf(part)
  const at = { name, namespace, part }
  const selector = { matchLabels: selectorOf(part) }
  const container = {
    name: part,
    image,
    args: argumentsOf(part, settings),
    env: [{ name: 'NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } }],
    ports: portsOf(part).map(([port, containerPort]) => ({ name: port, containerPort })),
    livenessProbe: probe('/healthz', 20),
    readinessProbe: probe('/readyz', 5),
    resources: RESOURCES[part],
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  }
  const spec = {
    serviceAccountName: name,
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: selector,
      },
    ],
    containers: [container],
  }
  const template = { metadata: { labels: selectorOf(part) }, spec }
  return [
    manifest('apps/v1', 'Deployment', at, { spec: { replicas, selector, template } }),
    manifest(disruptionBudgets, 'PodDisruptionBudget', at, { spec: { maxUnavailable: 1, selector } }),
  ]
}

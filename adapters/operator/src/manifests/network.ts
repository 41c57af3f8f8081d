// Who reaches the operator, and whom it reaches.
import { nameOf, type OperatorPart } from '../names.js'
import { type ManifestObject, manifest, selectorOf } from './object.js'
import type { InstallSettings } from './options.js'
import { PORTS, portsOf } from './workloads.js'

const DNS = 53
const API_SERVER = [443, 6443]

const tcp = (port: number): object => ({ protocol: 'TCP', port })

/** A Service in front of a port of a part. */
export function service(part: OperatorPart, port: keyof typeof PORTS, { namespace }: InstallSettings): ManifestObject {
  const name = port === 'webhook' ? nameOf(part) : `trimtab-${port}`
  const ports = [{ name: port, port: port === 'webhook' ? 443 : PORTS[port], targetPort: port }]
  return manifest('v1', 'Service', { name, namespace, part }, { spec: { selector: selectorOf(part), ports } })
}

/** In: the ports that a part has. Out: names, the API server, and Prometheus for the recommender; the API server has no labels to select by. */
export function networkPolicy(part: OperatorPart, { namespace, prometheusUrl }: InstallSettings): ManifestObject {
  const { port, protocol } = new URL(prometheusUrl)
  const prometheus = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
  const asked = part === 'recommender' ? [...API_SERVER, prometheus] : API_SERVER
  const spec = {
    podSelector: { matchLabels: selectorOf(part) },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ ports: portsOf(part).map(([, number]) => tcp(number)) }],
    egress: [{ ports: [tcp(DNS), { protocol: 'UDP', port: DNS }, ...asked.map(tcp)] }],
  }
  return manifest('networking.k8s.io/v1', 'NetworkPolicy', { name: nameOf(part), namespace, part }, { spec })
}

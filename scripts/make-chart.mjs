// The Helm chart: the objects of an installation whose options are placeholders, and an expression in the place of each.
import {
  monitoring,
  namespaceObject,
  partObjects,
  readInstallOptions,
  sharedObjects,
  toYaml,
} from '@trimtab/operator/manifests'
import { stringify } from 'yaml'

const defaults = readInstallOptions({})

const WATCHED = 'placeholder-watched'
const placeholders = {
  namespace: 'placeholder-namespace',
  image: 'placeholder-image',
  prometheusUrl: 'http://placeholder-prometheus:49151',
  periodSeconds: 490001,
  replicas: 490002,
}
const watchingAll = readInstallOptions(placeholders)
const watchingSome = readInstallOptions({ ...placeholders, watchedNamespaces: [WATCHED] })

const PROMETHEUS_PORT =
  '{{ $url := urlParse $.Values.prometheusUrl }}{{ regexFind "[0-9]+$" $url.host | default (ternary "443" "80" (eq $url.scheme "https")) }}'
const BUDGETS =
  '{{ if semverCompare ">=1.21-0" $.Capabilities.KubeVersion.Version }}policy/v1{{ else }}policy/v1beta1{{ end }}'

/** In this order: the port of Prometheus stands alone in network policies, and in its URL. */
const EXPRESSIONS = [
  [placeholders.prometheusUrl, '{{ $.Values.prometheusUrl }}'],
  ['49151', PROMETHEUS_PORT],
  [placeholders.namespace, '{{ $.Release.Namespace }}'],
  [placeholders.image, '{{ $.Values.image | quote }}'],
  [String(placeholders.periodSeconds), '{{ $.Values.periodSeconds }}'],
  [String(placeholders.replicas), '{{ $.Values.replicas }}'],
  ['apiVersion: policy/v1\n', `apiVersion: ${BUDGETS}\n`],
]

/** YAML of objects with expressions for placeholders; braces that are not Helm's, as those of alerts, are kept from it. */
function template(objects) {
  const text = toYaml(objects).replaceAll('{{', '{{ "{{" }}')
  return EXPRESSIONS.reduce((done, [placeholder, expression]) => done.replaceAll(placeholder, expression), text)
}

const when = (condition, text) => `{{- if ${condition} }}\n${text}{{- end }}\n`
const forWatched = (text) => `{{- range $.Values.watchNamespaces }}\n${text.replaceAll(WATCHED, '{{ . }}')}{{- end }}\n`

/** A Deployment whose resources, pod settings and watched namespaces are values. */
function deploymentTemplate(part, object) {
  return template([object])
    .replace(/^( *)resources:\n(?:\1 +.*\n)+/m, `$1resources: {{ toJson $.Values.${part}.resources }}\n`)
    .replace(/^( *)containers:\n/m, '$1{{- with $.Values.podSpec }}{{ toYaml . | nindent 6 }}{{ end }}\n$&')
    .replace(/^ *- --watch-namespace=.*\n/m, forWatched)
}

function partTemplate(part) {
  const binding = partObjects(part, watchingAll).find(({ kind }) => kind === 'ClusterRoleBinding')
  const documents = partObjects(part, watchingSome).map((object) => {
    if (object.kind === 'Deployment') return deploymentTemplate(part, object)
    if (object.metadata.namespace !== WATCHED) return template([object])
    return when('not $.Values.watchNamespaces', template([binding])) + forWatched(`---\n${template([object])}`)
  })
  return documents.join('---\n')
}

const VALUES = `# The container image, which adapters/operator/Dockerfile builds; none is published yet.
image: ${defaults.image}
# Where Prometheus answers.
prometheusUrl: ${defaults.prometheusUrl}
# Seconds between passes.
periodSeconds: ${defaults.periodSeconds}
# Pods of each part, of which one leads.
replicas: ${defaults.replicas}
# Which namespaces are looked after; empty: all.
watchNamespaces: []
# More of the pods' spec: imagePullSecrets, nodeSelector, tolerations, priorityClassName, …
podSpec: {}
# With a Namespace whose pods must be restricted, for \`helm template | kubectl apply\`; \`helm install --create-namespace\` makes its own.
createNamespace: false
`

const resourcesOf = (part) =>
  partObjects(part, defaults).find(({ kind }) => kind === 'Deployment').spec.template.spec.containers[0].resources

const partValues = (title, part, more = {}) =>
  `# ${title}\n${stringify({ [part]: { ...more, resources: resourcesOf(part) } })}`

const values = [
  VALUES,
  partValues('Writes recommendations into the status of autoscalers; always there.', 'recommender'),
  partValues('Carries them out, for autoscalers in mode act.', 'updater', { enabled: true }),
  partValues('Sizes new pods, for autoscalers in mode act.', 'admission', { enabled: true }),
  '# ServiceMonitor, alerts and dashboard; needs the kinds of the Prometheus operator.\nmonitoring:\n  enabled: false\n',
].join('')

const text = { type: 'string', minLength: 1 }
const count = { type: 'integer', minimum: 1 }
const fields = (properties) => ({ type: 'object', additionalProperties: false, properties })
const part = { enabled: { type: 'boolean' }, resources: { type: 'object' } }

const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...fields({
    global: { type: 'object' },
    image: text,
    prometheusUrl: { ...text, pattern: '^https?://' },
    periodSeconds: count,
    replicas: count,
    watchNamespaces: { type: 'array', items: text },
    podSpec: { type: 'object' },
    createNamespace: { type: 'boolean' },
    recommender: fields({ resources: part.resources }),
    updater: fields(part),
    admission: fields(part),
    monitoring: fields({ enabled: part.enabled }),
  }),
}

const NOTES = `Trimtab is in {{ .Release.Namespace }}. It changes nothing until an autoscaler says \`mode: act\`.

  kubectl get mdpa -A

helm uninstall deletes the definition, and with it every MultidimPodAutoscaler; workloads keep the size that they have.
{{- if contains "trimtab-operator:" .Values.image }}
No image is published yet: build one (adapters/operator/Dockerfile), and name it with --set image=…
{{- end }}
`

/** Path below adapters/operator → content. */
export const chartFiles = ({ version, description }) => ({
  'chart/Chart.yaml': stringify({
    apiVersion: 'v2',
    name: 'trimtab',
    description,
    type: 'application',
    version,
    appVersion: version,
    kubeVersion: '>=1.20.0-0',
  }),
  'chart/values.yaml': values,
  'chart/values.schema.json': `${JSON.stringify(schema, undefined, 2)}\n`,
  'chart/templates/NOTES.txt': NOTES,
  'chart/templates/namespace.yaml': when('$.Values.createNamespace', template([namespaceObject(watchingAll)])),
  'chart/templates/definition.yaml': template(sharedObjects()),
  'chart/templates/recommender.yaml': partTemplate('recommender'),
  'chart/templates/updater.yaml': when('$.Values.updater.enabled', partTemplate('updater')),
  'chart/templates/admission.yaml': when('$.Values.admission.enabled', partTemplate('admission')),
  'chart/templates/monitoring.yaml': when('$.Values.monitoring.enabled', template(monitoring(watchingAll))),
})

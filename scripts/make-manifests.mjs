// Usage: node scripts/make-manifests.mjs     writes what is made from @trimtab/operator/manifests: kustomize bases, the Helm chart, PERMISSIONS.md
//
// Build first. A test compares what is committed with what this makes.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  alertRules,
  grafanaDashboard,
  monitoring,
  namespaceObject,
  partObjects,
  permissionTable,
  readInstallOptions,
  sharedObjects,
  toYaml,
} from '@trimtab/operator/manifests'
import { stringify } from 'yaml'
import { chartFiles } from './make-chart.mjs'

export const OPERATOR = join(dirname(fileURLToPath(import.meta.url)), '../adapters/operator')

const settings = readInstallOptions({})

const kustomization = (resources) =>
  stringify({ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources })

const permissions = `# What each part may do, and why

Made from src/manifests/permissions.ts. *Namespaces looked after* are all, or those that the installation was told.

${['recommender', 'updater', 'admission'].map((part) => `## ${part}\n\n${permissionTable(part)}`).join('\n')}`

/** Path below adapters/operator → content. */
export const madeFiles = () => ({
  'PERMISSIONS.md': permissions,
  'manifests/base/namespace.yaml': toYaml([namespaceObject(settings)]),
  'manifests/base/definition.yaml': toYaml(sharedObjects()),
  'manifests/base/recommender.yaml': toYaml(partObjects('recommender', settings)),
  'manifests/base/kustomization.yaml': kustomization(['namespace.yaml', 'definition.yaml', 'recommender.yaml']),
  'manifests/acting/updater.yaml': toYaml(partObjects('updater', settings)),
  'manifests/acting/admission.yaml': toYaml(partObjects('admission', settings)),
  'manifests/acting/kustomization.yaml': kustomization(['updater.yaml', 'admission.yaml']),
  'manifests/monitoring/monitoring.yaml': toYaml(monitoring(settings)),
  'manifests/monitoring/kustomization.yaml': kustomization(['monitoring.yaml']),
  'manifests/monitoring/alerts.yaml': stringify(alertRules(), { lineWidth: 0 }),
  'manifests/monitoring/dashboard.json': `${JSON.stringify(grafanaDashboard(), undefined, 2)}\n`,
  'manifests/overlays/recommend-only/kustomization.yaml': kustomization(['../../base']),
  'manifests/overlays/full/kustomization.yaml': kustomization(['../../base', '../../acting']),
  ...chartFiles(JSON.parse(readFileSync(join(OPERATOR, 'package.json'), 'utf8'))),
})

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const folder of ['manifests', 'chart']) rmSync(join(OPERATOR, folder), { recursive: true, force: true })
  for (const [path, content] of Object.entries(madeFiles())) {
    mkdirSync(dirname(join(OPERATOR, path)), { recursive: true })
    writeFileSync(join(OPERATOR, path), content)
  }
}

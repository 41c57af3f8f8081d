export { ADMISSION_SECRET } from '../names.js'
export { findInstalled, type InstalledObject, type InstallStep, install, objectTitle, uninstall } from './install.js'
export { namespaceObject, operatorObjects, partObjects, sharedObjects } from './manifests.js'
export { alertRules } from './monitoring/alerts.js'
export { grafanaDashboard } from './monitoring/dashboard.js'
export { monitoring } from './monitoring/monitoring.js'
export type { ManifestObject } from './object.js'
export { DEFAULT_IMAGE, type InstallOptions, type InstallSettings, readInstallOptions } from './options.js'
export {
  PERMISSIONS,
  type Permission,
  permissionTable,
  type Scope,
  type Verb,
} from './permissions.js'
export { toYaml } from './yaml.js'

export {
  type AutoscalerSpec,
  type AutoscalerStatus,
  MULTIDIM_POD_AUTOSCALERS,
  type MultidimPodAutoscaler,
  PAUSE_ANNOTATION,
  type ResolvedAutoscalerSpec,
  readAutoscaler,
} from './autoscaler/autoscaler.js'
export { CronSchedule } from './autoscaler/cron-schedule.js'
export { customResourceDefinition } from './autoscaler/definition.js'
export {
  type CertificateOptions,
  createAuthority,
  issueCertificate,
  type KeyedCertificate,
} from './certificates/certificate.js'
export {
  type ApplyOptions,
  type CallOptions,
  type DeleteOptions,
  type EvictOptions,
  KubernetesClient,
  type WriteOptions,
} from './client.js'
export type { Cluster, Credentials, Identity } from './config/cluster.js'
export { type KubeconfigOptions, readKubeconfig } from './config/kubeconfig.js'
export { readServiceAccount, type ServiceAccountOptions } from './config/service-account.js'
export { type Capabilities, discoverCapabilities } from './discovery.js'
export { hasCode, KubernetesError, type KubernetesErrorOptions } from './errors.js'
export { Backoff, type BackoffOptions } from './http/backoff.js'
export type { ApiRequest } from './http/connection.js'
export type { RequesterOptions } from './http/requester.js'
export { Informer, type InformerListener, type InformerOptions, type ObjectChange } from './informer.js'
export { LeaderElection, type LeaderOptions } from './leader.js'
export { formatCpu, formatMemory, parseQuantity } from './quantity.js'
export {
  type ApiResource,
  DEPLOYMENTS,
  disruptionBudgets,
  LEASES,
  NAMESPACES,
  type ObjectSelection,
  PODS,
  pathOfObject,
  REPLICA_SETS,
  resource,
} from './resource.js'
export {
  problemsOf,
  pruned,
  type SchemaProblem,
  type StructuralSchema,
  withDefaults,
} from './schema/structural-schema.js'
export type {
  Container,
  ContainerResources,
  KubernetesObject,
  LabelSelector,
  Lease,
  ManagedFields,
  ObjectList,
  ObjectMeta,
  ObjectRef,
  OwnerReference,
  PodDisruptionBudget,
  PodObject,
  Scale,
  Status,
  StatusCondition,
  StringMap,
  WorkloadObject,
} from './types.js'
export type { ObjectWatchOptions, WatchEvent } from './watch.js'

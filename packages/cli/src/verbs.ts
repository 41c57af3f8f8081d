import type { Command } from './command.js'

/** Verbs load on demand: `trimtab help` starts no core. */
export const VERBS: Readonly<Record<string, () => Promise<Command>>> = {
  autoscale: async () => (await import('./commands/autoscale.js')).autoscale,
  compare: async () => (await import('./commands/compare.js')).compare,
  rightsize: async () => (await import('./commands/rightsize.js')).rightsize,
  trace: async () => (await import('./commands/trace.js')).trace,
  'predict-length': async () => (await import('./commands/predict-length.js')).predictLength,
  pretrain: async () => (await import('./commands/pretrain.js')).pretrain,
  adapt: async () => (await import('./commands/adapt.js')).adapt,
  embed: async () => (await import('./commands/embed.js')).embed,
  similarity: async () => (await import('./commands/similarity.js')).similarityCommand,
  gpu: async () => (await import('./commands/gpu.js')).gpu,
  gateway: async () => (await import('./commands/gateway.js')).gateway,
  recommend: async () => (await import('./commands/recommend.js')).recommend,
  mitigate: async () => (await import('./commands/mitigate.js')).mitigateCommand,
  operator: async () => (await import('./commands/operator.js')).operator,
  live: async () => (await import('./commands/live.js')).live,
  serverless: async () => (await import('./commands/serverless.js')).serverless,
  collect: async () => (await import('./commands/collect.js')).collect,
  tenants: async () => (await import('./commands/tenants.js')).tenants,
  schedule: async () => (await import('./commands/schedule.js')).schedule,
  linux: async () => (await import('./commands/linux.js')).linux,
  completion: async () => (await import('./commands/completion.js')).createCompletion(VERBS),
  doctor: async () => (await import('./commands/doctor.js')).doctor,
}

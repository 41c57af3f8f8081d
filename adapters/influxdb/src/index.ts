export { InfluxTrajectoryStore, type InfluxTrajectoryStoreOptions } from './influx-trajectory-store.js'
export type { InfluxV1Options } from './server-v1.js'
export type { InfluxV2Options } from './server-v2.js'

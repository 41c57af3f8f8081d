export { CollectedWindow, type CollectedWindowOptions } from './collect/collected-window.js'
export { Collector, type CollectorOptions, type CollectorStatistics } from './collect/collector.js'
export { UnseenTraces } from './collect/unseen-traces.js'

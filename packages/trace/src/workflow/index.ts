export type { PairKind } from './sibling-pairs.js'
export { wilsonInterval } from './wilson.js'
export { type SiblingPair, Workflow, type WorkflowEdge } from './workflow.js'

export { AgentSums } from './agent-sums.js'

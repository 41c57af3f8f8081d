export {
  type Decider,
  type EpisodeSummary,
  type ExploringAgent,
  type Pilot,
  rulePilot,
  type Source,
  type Stage,
  servingPilot,
} from './pilot.js'

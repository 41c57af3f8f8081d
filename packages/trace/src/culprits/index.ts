export {
  type BaselineRankings,
  baselineRankings,
  type Localisation,
  scoreGuessing,
  scoreRankings,
} from './baselines.js'
export { EVIDENCE, type EvidenceName } from './evidence.js'
export {
  type CulpritExample,
  type CulpritModel,
  EQUAL_WEIGHTS,
  type FitCulpritOptions,
  fitCulpritModel,
  loadCulpritModel,
  saveCulpritModel,
} from './model.js'
export { type Culprit, type CulpritRanking, type RankOptions, rankCulprits, type Slower } from './rank-culprits.js'
export { SHIPPED_MODEL } from './shipped-model.js'
export { type CulpritContext, CulpritWindow, type CulpritWindowOptions } from './window.js'

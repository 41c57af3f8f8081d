// The names a user wants first; everything else is in the subpaths (`trimtab/core`, `trimtab/learn`, …).
export { ControlLoop, EnvelopePilot, rulePilot, servingPilot, type Tick } from '@trimtab/control'
export { type Controller, type Core, createCore, type Environment, Random, TrimtabError } from '@trimtab/core'
export { createDdpg, type Ddpg, evaluate, loadPolicy, train } from '@trimtab/learn'
export { compareAutoscalers, runAutoscalerCell } from '@trimtab/studies'
export {
  type Application,
  AutoscalingEnvironment,
  evaluateAutoscaling,
  generateApplication,
  generateLoad,
  HpaVpa,
  type LoadSeries,
  parseLoad,
  tuneHpaVpa,
} from '@trimtab/tasks/autoscaling'
export { CulpritWindow, criticalPath, PathFinder, Profile, rankCulprits, readTraces, whatIf } from '@trimtab/trace'
export { type AutoscalingReport, renderReport } from './report/index.js'

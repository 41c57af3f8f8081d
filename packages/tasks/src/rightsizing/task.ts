import { defineTask } from '../define-task.js'
import type { SupervisedTask, TaskPredictor } from '../task.js'
import { crossValidate } from './cross-validation.js'
import { generateServerless } from './generator.js'
import { networkPredictor } from './network.js'
import type { FitPredictor, Predictor } from './predictor.js'
import { fitBest, STATISTICAL_PREDICTORS } from './predictors/index.js'
import { NETWORK_PRESETS, SET_EMBEDDING } from './preset.js'
import { readRuntimeTable } from './read-table.js'
import type { RuntimeTable } from './runtime-table.js'

type RuntimePredictor = TaskPredictor<RuntimeTable, Predictor>

const predictor = (name: string, fit: FitPredictor, isBaseline: boolean): RuntimePredictor => ({
  name,
  isBaseline,
  fit,
})

/** Rightsizing (5.6.2): runtimes of a workload on configurations that were not tried, from a few that were. */
export const RIGHTSIZING: SupervisedTask<RuntimeTable, Predictor> = defineTask({
  kind: 'supervised',
  name: 'rightsizing',
  labels: { task: 'Rightsizing', spec: 'workload' },
  generate: (core, number) => generateServerless(core, { seed: number }),
  read: (name, text) => readRuntimeTable(name, text),
  predictors: [
    predictor('best', fitBest, false),
    ...Object.entries(STATISTICAL_PREDICTORS).map(([name, fit]) => predictor(name, fit, true)),
    predictor('network', networkPredictor(NETWORK_PRESETS.network), false),
    predictor(
      'embedding',
      networkPredictor({ ...NETWORK_PRESETS.network, maxBases: 1, embedding: SET_EMBEDDING }),
      false,
    ),
  ],
  judge: (core, table, { fit }, seed) => crossValidate(core, table, fit, { labels: [1, 2, 3, 9], seed }),
})

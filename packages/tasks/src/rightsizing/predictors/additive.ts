import { logProfiles } from '../log-profiles.js'
import { type FitPredictor, type LogSample, logPredictor } from '../predictor.js'

/** The measured runtime (of several the geometric mean) everywhere: what knows nothing of configurations says. */
export const fitCopy: FitPredictor = (core, training) =>
  logPredictor(core, training, (samples, logs) => {
    logs.fill(samples.reduce((sum, { log }) => sum + log, 0) / samples.length)
  })

/** ln seconds = level of the workload + effect of the configuration: every workload gains alike. */
export const fitAdditive: FitPredictor = (core, training) => {
  const { effects } = logProfiles(core, training)
  return logPredictor(core, training, (samples, logs) => {
    const level = levelOf(samples, effects)
    for (let c = 0; c < logs.length; c++) logs[c] = level + effects[c]!
  })
}

const levelOf = (samples: readonly LogSample[], effects: Float64Array): number =>
  samples.reduce((sum, { configuration, log }) => sum + log - effects[configuration]!, 0) / samples.length

// Which cells there are, and where measured loads lie.
import { existsSync, readFileSync } from 'node:fs'

const DATA = new URL('../../../../shared/data/load/', import.meta.url)
const FILES = { nasa: 'nasa_per_minute.csv', twitter: 'twitter_per_minute.csv' }

/** Tables of the measured loads among those wanted, and which of them are absent. */
export function readTexts(loads) {
  const measured = loads.filter((load) => load in FILES)
  const pathOf = (load) => new URL(FILES[load], DATA)
  const present = measured.filter((load) => existsSync(pathOf(load)))
  return {
    texts: Object.fromEntries(present.map((load) => [load, readFileSync(pathOf(load), 'utf8')])),
    absent: measured
      .filter((load) => !present.includes(load))
      .map((load) => ({ load, file: `../shared/data/load/${FILES[load]}` })),
  }
}

const upTo = (count, first) => Array.from({ length: count }, (_, i) => first + i)

/** Application × load × SLO in place, and the same where pods restart or keep their size; the long loads first. */
export function baseCells({ firstApp, apps, seeds, days, slo, elsewhere, loads, law = 'throttled' }) {
  const modes = [
    ...slo.map((sloFactor) => ({ resize: 'in-place', sloFactor })),
    ...['restart', 'none'].flatMap((resize) => elsewhere.map((sloFactor) => ({ resize, sloFactor }))),
  ]
  return modes.flatMap((mode) =>
    loads.flatMap((load) =>
      upTo(apps, firstApp).map((appSeed) => ({
        appSeed,
        load,
        ...mode,
        days,
        seeds: upTo(seeds, 1),
        ...(law !== 'throttled' && { law }),
      })),
    ),
  )
}

const PERTURBED_SLO = 2

/** Whether a cell is one of those that are perturbed. */
export const isPerturbed = ({ firstApp, perturbed }, { appSeed, load, sloFactor, resize }) =>
  resize === 'in-place' &&
  sloFactor === PERTURBED_SLO &&
  appSeed < firstApp + perturbed.apps &&
  perturbed.loads.includes(load)

/** Cells of one perturbation; the rules stay as they were tuned. */
export const perturbedCells = (scale, cells, { ruleSteps, loadScale, seedOffset = 0 }) =>
  cells
    .filter(({ spec }) => isPerturbed(scale, spec))
    .map(({ spec, tuned, strongest, shadow }) => ({
      ...spec,
      ...(ruleSteps && { ruleSteps }),
      ...(loadScale && { loadScale }),
      seeds: spec.seeds.map((seed) => seed + seedOffset),
      controllers: ['trimtab'],
      tuned: tuned.filter(({ family }) => family === strongest || family === shadow),
    }))

/** For progress. */
export const cellName = ({ appSeed, load, sloFactor, resize }) =>
  `app ${appSeed}, ${load}, SLO ${sloFactor}×, ${resize}`

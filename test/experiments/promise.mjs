// The promise: an SLO kept within its error budget, for fewer dollars, and never much worse than the strongest rule tuned for the
// same objective. Judged on applications that no choice was made on.

import { WorkerPool } from '@trimtab/node'
import { cellFigures, PERTURBATIONS } from '@trimtab/studies'
import { baseCells, cellName, perturbedCells, readTexts } from './promise/plan.mjs'
import { report } from './promise/report.mjs'

/**
 * apps: generated applications from `firstApp` on (1 to 20 were used while designing). slo: factors with pods that resize in place;
 * `elsewhere` those where they restart or keep their size. days: of each load, at most.
 */
export const SCALES = {
  smoke: {
    ...{ firstApp: 1, apps: 1, seeds: 1, days: 2, slo: [2], elsewhere: [2] },
    loads: ['growth', 'zero-night', 'steps', 'office'],
    perturbed: { apps: 1, loads: ['steps'] },
  },
  gate: {
    ...{ firstApp: 21, apps: 10, seeds: 3, days: 14, slo: [1.2, 2, 3], elsewhere: [2] },
    loads: ['nasa', 'twitter', 'growth', 'zero-night', 'steps', 'flash', 'office', 'batches'],
    perturbed: { apps: 2, loads: ['nasa', 'steps', 'office'] },
  },
  paper: {
    ...{ firstApp: 21, apps: 20, seeds: 5, days: 14, slo: [1.2, 2, 3], elsewhere: [1.2, 2, 3] },
    loads: ['nasa', 'twitter', 'growth', 'zero-night', 'steps', 'flash', 'office', 'batches'],
    perturbed: { apps: 4, loads: ['nasa', 'steps', 'office'] },
  },
}

/** Runs all cells, on as many cores as there are; the same results for any number. */
export async function measure(scale, progress) {
  const { texts, absent } = readTexts(scale.loads)
  for (const { load, file } of absent) progress(`NOT JUDGED: the load ${load}, ${file} is absent`)
  const pool = new WorkerPool({ module: new URL('./promise/jobs.mjs', import.meta.url) })
  const runAll = async (what, specs) => {
    let done = 0
    return Promise.all(
      specs.map(async (spec) => {
        const cell = await pool.run('promiseCell', { ...spec, text: texts[spec.load] })
        progress(`${++done}/${specs.length}  ${what}: ${cellName(spec)}`)
        return cell
      }),
    )
  }
  const loads = scale.loads.filter((load) => !absent.some((one) => one.load === load))
  const cells = await runAll('cell', baseCells({ ...scale, loads }))
  const perturbed = []
  for (const perturbation of PERTURBATIONS) {
    const specs = perturbedCells({ ...scale, loads }, cells, perturbation)
    perturbed.push({ name: perturbation.name, cells: (await runAll(perturbation.name, specs)).map(cellFigures) })
  }
  await pool.dispose()
  return { cells: cells.map(cellFigures), perturbed, absent }
}

export const run = async (scaleName, progress) => {
  const scale = SCALES[scaleName]
  return report({ scaleName, scale, ...(await measure(scale, progress)) })
}

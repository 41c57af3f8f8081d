// One study: a task, a pool, apps nobody has seen, and every method on each of them.
import { WorkerPool } from '@trimtab/node'
import { METHODS, PRETRAINED } from './methods.mjs'
import { FIRST_PAIR } from './pairs.mjs'
import { figuresOf } from './protocol.mjs'

/**
 * @param study  { task, methods, seeds, pool, apps, rounds, cap, sources, sourceEpisodes, recipe?, firstApp?, hasRule? }
 * @returns  { figures, apps, pretraining }: figures per method; the curves of each app; what pretraining earned
 */
export async function runStudy(study, progress) {
  const pool = new WorkerPool({ module: new URL('./jobs.mjs', import.meta.url) })
  const run = counted(pool, progress)
  try {
    const repetitions = await Promise.all(study.seeds.map((seed) => runRepetition(study, seed, run)))
    const apps = repetitions.flatMap((one) => one.apps)
    return {
      figures: figuresOf(apps, study.methods),
      apps,
      pretraining: repetitions.map((one) => one.pretraining),
    }
  } finally {
    await pool.dispose()
  }
}

async function runRepetition(study, seed, run) {
  const { task, pool, apps, rounds, cap, methods, recipe } = study
  const wanted = (start) => methods.some((name) => METHODS[name].start === start)
  const starts = Object.fromEntries(
    await Promise.all([
      ...PRETRAINED.filter(wanted).map(async (context) => [
        context,
        await run('pretrain', { task, seed, pool, rounds, context, recipe }),
      ]),
      ...['source', 'sourcePlus']
        .filter(wanted)
        .map(async (start) => [start, await trainSources(study, seed, start, run)]),
    ]),
  )
  const first = FIRST_PAIR(seed, task) + (study.firstApp ?? pool)
  const results = await Promise.all(
    Array.from({ length: apps }, async (_, i) => {
      const app = first + i
      const constant = run('searchConstant', { task, app })
      const rule = study.hasRule ? run('judgeRule', { task, app }) : undefined
      const adapted = methods.map(async (name) => {
        const { start, phase, exploration, options, isPlus } = METHODS[name]
        const from = Array.isArray(starts[start]) ? starts[start][i % starts[start].length] : starts[start]
        return [
          name,
          await run('adapt', {
            ...{ task, seed, app, cap, phase, exploration, options, isPlus },
            ...{ start: from?.learned, contextSize: from?.contextSize, context: start },
          }),
        ]
      })
      const outcomes = Object.fromEntries(await Promise.all(adapted))
      return {
        ...{ seed, app, constant: await constant, ...(rule && { rule: await rule }) },
        curves: Object.fromEntries(Object.entries(outcomes).map(([name, { curve }]) => [name, curve])),
      }
    }),
  )
  const pretraining = Object.fromEntries(PRETRAINED.filter(wanted).map((context) => [context, starts[context].rewards]))
  return { apps: results, pretraining }
}

const trainSources = ({ task, sources, sourceEpisodes }, seed, start, run) =>
  Promise.all(
    Array.from({ length: sources }, (_, index) =>
      run('trainSource', { task, seed, index, episodes: sourceEpisodes, isPlus: start === 'sourcePlus' }),
    ),
  )

/** Runs jobs and shows how far it is; what is asked for grows while it runs. */
function counted(pool, progress) {
  let asked = 0
  let done = 0
  return async (job, input) => {
    asked++
    const output = await pool.run(job, input)
    progress(`${++done}/${asked}  ${job} ${input.context ?? ''}`)
    return output
  }
}

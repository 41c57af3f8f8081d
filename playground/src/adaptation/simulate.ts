// One application that the pool did not hold, met by the pretrained policy with its embedding, by the same without, and from scratch.
import { type Core, createCore } from 'trimtab/core'
import {
  Adaptation,
  createBaseLearner,
  evaluate,
  type PretrainedModel,
  readPretrained,
  type SharedAgent,
  similarity,
} from 'trimtab/learn'
import { formatEstimate, principalPlane } from 'trimtab/studies'
import { findTask } from 'trimtab/tasks'
import type { LiveController } from '../run/controllers.js'
import type { AdaptationEvent, AdaptationOptions, Relative } from './protocol.js'

const RELATIVES = 3
const SEEDS = [920_001, 920_002, 920_003] // loads that nobody learns from
const CONTROLLERS: readonly LiveController[] = [
  { name: 'trimtab', label: 'pretrained, with embedding', kind: 'learner' },
  { name: 'resize', label: 'pretrained, embedding left empty', kind: 'learner' },
  { name: 'hpa-vpa', label: 'from scratch', kind: 'learner' },
]

/** @param bytes  a pretrained model of autoscaling */
export async function* simulateAdaptation(
  bytes: Uint8Array,
  { app, episodes, seed }: AdaptationOptions,
): AsyncGenerator<AdaptationEvent, void> {
  const core = await createCore()
  const task = findTask('autoscaling')
  const model = readPretrained(bytes)
  const plane = principalPlane(model.pool.map(({ z }) => [...z]))
  const [withEmbedding, empty, scratch] = CONTROLLERS.map((_, i) => adaptationOf(core, task, model, { app, seed }, i))
  const all = [withEmbedding!, empty!, scratch!]
  yield {
    ...{ type: 'start', controllers: CONTROLLERS, episodes, app },
    pool: model.pool.map(({ name }, i) => ({ name, x: plane.points[i]![0], y: plane.points[i]![1] })),
    shown01: plane.shares[0] + plane.shares[1],
  }
  const rewards: number[][] = all.map(() => [])
  let forecast = ''
  for (let episode = 0; episode <= episodes; episode++) {
    for (const [i, { judge }] of all.entries()) rewards[i]!.push(judge())
    const z = withEmbedding!.adaptation.embedding
    const relatives = nearest(model, z)
    // The first episode tells what the application is like; the cost is foretold from that, and stands.
    if (episode <= 1) forecast = formatEstimate(model.estimateAt(relatives[0]!.similarity))
    const [x, y] = plane.place([...z])
    yield { type: 'step', episode, rewards: rewards.map((list) => list.at(-1)!), place: { x, y }, relatives, forecast }
    if (episode < episodes) for (const { adaptation } of all) adaptation.episode()
  }
  for (const { dispose } of all) dispose()
  yield { type: 'done', ...outcomeOf(rewards, forecast) }
}

type Task = ReturnType<typeof findTask> & { kind: 'control' }

interface Running {
  readonly adaptation: Adaptation
  /** Mean reward of a step, without exploration. */
  judge(): number
  dispose(): void
}

function adaptationOf(
  core: Core,
  task: ReturnType<typeof findTask>,
  model: PretrainedModel,
  { app, seed }: Pick<AdaptationOptions, 'app' | 'seed'>,
  controller: number,
): Running {
  const { pool, environment: environmentOf } = task as Task
  const environment = environmentOf(core, pool(core, app, 1)[0])
  const isScratch = controller === 2
  const agent = isScratch ? fromScratch(core, task as Task, model, seed) : model.createAgent(core, { seed })
  const meta = controller === 0 ? model.createMetaLearner(core) : undefined
  const adaptation = new Adaptation(core, {
    ...{ agent, environment, seed: seed + app, ...(meta && { meta }) },
    options: isScratch ? { firstEpisode: 'policy', waitEpisodes: 0 } : { firstEpisode: 'policy' },
  })
  return {
    adaptation,
    judge: () => evaluate(agent, environment, { seeds: SEEDS }).rewardPerStep,
    dispose() {
      for (const one of [adaptation, agent, environment]) one.dispose()
      meta?.dispose()
    },
  }
}

function fromScratch(core: Core, { name, baseLearner }: Task, model: PretrainedModel, seed: number): SharedAgent {
  const { observation, action } = model.header
  const setup = { task: name, base: baseLearner, observation, action, contextSize: model.embeddingSize, seed }
  return createBaseLearner(core, setup)
}

const nearest = ({ pool }: PretrainedModel, z: Float32Array): Relative[] =>
  pool
    .map((one, pair) => ({ pair, similarity: similarity(z, one.z) }))
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, RELATIVES)

function outcomeOf(
  rewards: readonly (readonly number[])[],
  forecast: string,
): Omit<Extract<AdaptationEvent, { type: 'done' }>, 'type'> {
  const best = Math.max(...rewards.flat())
  const drop = (reward: number): string => `${((100 * (best - reward)) / Math.abs(best)).toFixed(1)} %`
  const goodFrom = (list: readonly number[]): string => {
    const episode = list.findIndex((_, i) =>
      list.slice(i, i + 3).every((reward) => reward >= best - 0.05 * Math.abs(best)),
    )
    return episode < 0 ? 'not yet' : String(episode)
  }
  const rows = rewards.map((list, i) => ({
    controller: CONTROLLERS[i]!,
    cells: [drop(list[0]!), drop(list[Math.min(1, list.length - 1)]!), drop(list.at(-1)!), goodFrom(list)],
  }))
  return {
    table: { heads: ['missing at first', 'after one episode', 'at the end', 'episodes to 95 %'], rows },
    findings: [
      `Foretold after the first episode: ${forecast}.`,
      'Missing: of the best reward that any of them reached. On this task the state shows nearly all that tells applications apart: what pays is the pool, and the embedding where something is hidden.',
    ],
  }
}

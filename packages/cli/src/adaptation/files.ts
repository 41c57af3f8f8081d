import { type PretrainedModel, readPretrained, type Trajectory } from '@trimtab/learn'
import { UsageError } from '../options.js'
import { type Reading, readAll, readText } from '../read-file.js'

/** @throws {UsageError} when it cannot be read or is none */
export async function readModel(path: string, reading: Reading): Promise<PretrainedModel> {
  try {
    return readPretrained(await readAll(path, reading))
  } catch (error) {
    throw new UsageError(`--model ${path} cannot be used: ${(error as Error).message}`)
  }
}

/**
 * Episodes as JSONL, a step a line: `{"episode": 0, "observation": [...], "action": [...], "reward": 1.2}`; steps of an episode
 * stand together.
 * @throws {UsageError} a line that is no such step, by its number
 */
export async function readTrajectories(path: string, model: PretrainedModel, reading: Reading): Promise<Trajectory[]> {
  const text = await readText(path, reading)
  const { observation, action } = model.header
  const episodes = new Map<unknown, { observations: number[]; actions: number[]; rewards: number[] }>()
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const step = parseStep(line, observation.names.length, action.names.length)
    if (typeof step === 'string') throw new UsageError(`${path}, line ${i + 1}: ${step}`)
    const episode = episodes.get(step.episode) ?? { observations: [], actions: [], rewards: [] }
    episodes.set(step.episode, episode)
    episode.observations.push(...step.observation)
    episode.actions.push(...step.action)
    episode.rewards.push(step.reward)
  }
  if (episodes.size === 0) throw new UsageError(`${path} holds no steps`)
  return [...episodes.values()].map(({ observations, actions, rewards }) => ({
    observations: Float32Array.from(observations),
    actions: Float32Array.from(actions),
    rewards: Float32Array.from(rewards),
  }))
}

interface StepLine {
  readonly episode: unknown
  readonly observation: readonly number[]
  readonly action: readonly number[]
  readonly reward: number
}

const RANGE = ' of single precision: within ±3.4e38'

const isSingle = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(Math.fround(value))

/** The step, or what is wrong with it. */
function parseStep(line: string, states: number, actions: number): StepLine | string {
  let value: Partial<StepLine>
  try {
    value = JSON.parse(line)
  } catch {
    return `no JSON: ${line.slice(0, 60)}`
  }
  const { episode = 0, observation, action, reward } = value ?? {}
  const isList = (list: unknown, length: number): list is number[] =>
    Array.isArray(list) && list.length === length && list.every(isSingle)
  if (!isList(observation, states)) return `observation must be ${states} finite numbers${RANGE}`
  if (!isList(action, actions)) return `action must be ${actions} finite numbers${RANGE}`
  if (!isSingle(reward)) return `reward must be a finite number${RANGE}`
  return { episode, observation, action, reward }
}

// How much of what: FIRM's estimator, one for all instances of all applications, in place of "all limits up".
import { createDdpg } from '@trimtab/learn'
import { CONTINUOUS_ACTION, CULPRIT_OBSERVATION, MicroserviceEnvironment } from '@trimtab/tasks/microservices'
import { applicationOf, core } from './runs.mjs'

const TRAINING_SEED = 50_000 // of campaigns: none is judged on
const CAPACITY = 20_000

/**
 * @param taught  part of the episodes in which the rule acts and the agent imitates it; undefined: it learns nothing
 * @returns the file of the policy that serves
 */
export function learnLimits({ preset, taught }, { apps, seed, episodes }) {
  const agent = createDdpg(core, {
    ...{ observation: CULPRIT_OBSERVATION, action: CONTINUOUS_ACTION.space, seed, preset: preset.preset },
    options: { ...preset.options, capacity: CAPACITY },
  })
  const worlds = apps.map(
    (app) => new MicroserviceEnvironment(core, applicationOf(app).graph, { action: CONTINUOUS_ACTION }),
  )
  const ruleAction = new Float32Array(5)
  CONTINUOUS_ACTION.up.decide(new Float32Array(8), ruleAction)
  const action = new Float32Array(5)
  for (let episode = 0; taught !== undefined && episode < episodes; episode++) {
    const world = worlds[episode % worlds.length]
    let observation = world.reset(TRAINING_SEED + 1000 * seed + episode)
    for (let isOver = false; !isOver; ) {
      if (episode < taught * episodes) action.set(ruleAction)
      else agent.explore(observation, action)
      const { observation: nextObservation, reward, truncated } = world.step(action)
      agent.observe({ observation, action: action.slice(), reward, nextObservation, terminated: false, ruleAction })
      agent.update()
      observation = nextObservation
      isOver = truncated
    }
    agent.endEpisode()
  }
  const file = agent.save()
  for (const one of [agent, ...worlds]) one.dispose()
  return file
}

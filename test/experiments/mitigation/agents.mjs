// FIRM's estimator learns on campaigns of its own, one for all instances of all applications.
import { createDdpg } from '@trimtab/learn'
import {
  CONTINUOUS_ACTION,
  CULPRIT_OBSERVATION,
  FIRM_CONTINUOUS,
  MITIGATION_DDPG,
  MicroserviceEnvironment,
} from '@trimtab/tasks/microservices'

/** taught: episodes in which the rule acts and the agent imitates it. */
export const VARIANTS = {
  untrained: { label: 'FIRM as printed, untrained', preset: FIRM_CONTINUOUS, isTrained: false },
  printed: { label: 'FIRM as printed, trained', preset: FIRM_CONTINUOUS, isTrained: true, taught: 0 },
  imitation: {
    label: 'better recipe, from imitation of the rule',
    preset: MITIGATION_DDPG,
    isTrained: true,
    taught: 0.3,
  },
}

const TRAINING_SEED = 50_000 // of campaigns: none is judged on
const CAPACITY = 20_000

/** @returns the file of the policy that serves */
export function learnAgent(core, graphs, { variant, seed, episodes }) {
  const { preset, isTrained, taught } = VARIANTS[variant]
  const agent = createDdpg(core, {
    ...{ observation: CULPRIT_OBSERVATION, action: CONTINUOUS_ACTION.space, seed, preset: preset.preset },
    options: { ...preset.options, capacity: CAPACITY },
  })
  const worlds = graphs.map((graph) => new MicroserviceEnvironment(core, graph, { action: CONTINUOUS_ACTION }))
  const ruleAction = new Float32Array(5)
  CONTINUOUS_ACTION.up.decide(new Float32Array(8), ruleAction)
  const action = new Float32Array(5)
  for (let episode = 0; isTrained && episode < episodes; episode++) {
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

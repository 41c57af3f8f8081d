import { describe, expect, it } from 'vitest'
import { ControlLoop, type LearningPilot, Lifecycle, RetrainingPilot, type Stage } from '../src/index.js'
import { constant, RecordingPilot, Scripted } from './toys.js'

/** Explores with 3; its policy says 2. */
class Learner extends RecordingPilot implements LearningPilot {
  readonly policy = constant(2)
  constructor() {
    super(3, constant(1))
  }
}

const STEPS = 5
const profile = { bootstrap: false, onlineReward: 0, servingReward: 4, servingDeviation: 1, window: 2, hysteresis: 1 }
const serving = { stage: 'serving' as Stage, rewards: [5, 5], candidate: 'serving' as Stage, agreed: 0 }

/** Episodes of five steps, each worth what is listed. */
function live(rewards: readonly number[], state = serving) {
  const learner = new Learner()
  const lifecycle = new Lifecycle(profile, state)
  const pilot = new RetrainingPilot({ learner, lifecycle })
  const stages: Stage[] = []
  const applied = rewards.map((reward) => {
    stages.push(pilot.stage)
    const environment = new Scripted(Array.from({ length: STEPS + 1 }, () => ({ reward })))
    new ControlLoop({ environment, pilot }).runEpisode()
    return environment.applied[0]![0]
  })
  return { learner, lifecycle, pilot, stages, applied }
}

describe('RetrainingPilot', () => {
  it('serves the policy and learns nothing while rewards are good', () => {
    const { learner, stages, applied } = live([1, 1, 1])
    expect(stages).toEqual(['serving', 'serving', 'serving'])
    expect(applied).toEqual([2, 2, 2])
    expect([learner.learned.length, learner.episodes.length]).toEqual([0, 0])
  })

  it('learns on when the mean falls, and serves again when a window is good', () => {
    const { learner, stages, applied } = live([1, 0, 0, 1, 1, 1])
    // 5+0 is a mean of 2.5; the way back needs two good episodes in the window of two
    expect(stages).toEqual(['serving', 'serving', 'online', 'online', 'online', 'serving'])
    expect(applied).toEqual([2, 2, 3, 3, 3, 2])
    expect([learner.learned.length, learner.episodes.length]).toEqual([3 * STEPS, 3])
  })

  it('learns on when the rewards vary too much around a good mean', () => {
    const { stages } = live([1, 2, 1], { ...serving, rewards: [5, 5] })
    expect(stages).toEqual(['serving', 'serving', 'online']) // 5 and 10: deviation 2.5
  })

  it('starts by learning where nothing has converged yet', () => {
    const { stages, pilot } = live([1], { ...serving, stage: 'initialized', rewards: [] })
    expect(stages).toEqual(['online'])
    expect(pilot.rule.name).toBe('constant')
  })
})

import type { StepInfo } from '@trimtab/core'
import { describe, expect, it } from 'vitest'
import {
  ControlLoop,
  type LearningPilot,
  Lifecycle,
  RetrainingPilot,
  type Stage,
  type ViolationTest,
} from '../src/index.js'
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

  describe('with a test of violations', () => {
    const test = { isViolation: ({ violation }: StepInfo) => violation === 1, allowedRate: 0.5, excess: 2 }
    const seen = Float32Array.of(0)
    const summary = { episode: 0, steps: STEPS, reward: 5, rewardedSteps: STEPS, terminated: false }
    const newPilot = (options: Partial<ViolationTest> = {}) => {
      const learner = new Learner()
      const violations = { ...test, ...options }
      return {
        learner,
        pilot: new RetrainingPilot({ learner, lifecycle: new Lifecycle(profile, serving), violations }),
      }
    }
    /** @returns the stage after each step */
    const step = (pilot: RetrainingPilot, pattern: string) =>
      [...pattern].map((mark) => {
        const transition = { observation: seen, action: seen, reward: 1, nextObservation: seen, terminated: false }
        pilot.observe(transition, { violation: mark === 'x' ? 1 : 0 })
        return pilot.stage
      })

    it('learns on within the episode when violations pile up beyond the allowed rate, however good the rewards', () => {
      const { pilot, learner } = newPilot()
      expect(step(pilot, 'xxxx')).toEqual(['serving', 'serving', 'serving', 'online']) // 4 · (1 − 0.5) = 2
      expect(learner.learned).toHaveLength(0)
      step(pilot, '.')
      expect(learner.learned).toHaveLength(1)
    })

    it('takes violations at the allowed rate for nothing new, and quiet steps for no credit', () => {
      const { pilot } = newPilot()
      expect(new Set(step(pilot, 'x.x.x.x.x.x.'))).toEqual(new Set(['serving']))
      step(pilot, '..........')
      expect(step(pilot, 'xxxx').at(-1)).toBe('online')
    })

    it('serves again after a full window of good rewards, and wakes at the next violations', () => {
      const { pilot } = newPilot()
      step(pilot, 'xxxx')
      const sources = { agent: STEPS, rule: 0, hold: 0 }
      pilot.endEpisode({ ...summary, sources })
      expect(pilot.stage).toBe('online')
      pilot.endEpisode({ ...summary, sources })
      expect(pilot.stage).toBe('serving')
      expect(step(pilot, '.x')).toEqual(['serving', 'online'])
    })

    it('refuses a rate or an excess that no test can have', () => {
      expect(() => newPilot({ allowedRate: 1, excess: 0 })).toThrow(
        /allowedRate must be inside 0 … 1, got 1; excess must be > 0 and finite, got 0/,
      )
    })
  })
})

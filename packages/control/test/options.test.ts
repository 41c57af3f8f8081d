import type { Agent } from '@trimtab/core'
import { boxSpace } from '@trimtab/learn'
import { describe, expect, it } from 'vitest'
import {
  EnvelopePilot,
  Lifecycle,
  LifecyclePilot,
  MarginPilot,
  MemoryTrajectoryStore,
  RetrainingPilot,
} from '../src/index.js'
import { constant } from './toys.js'

const agent = { name: 'nobody', explorationScale: 1, explorationLevel: 0 } as Agent
const rule = constant(0)
const action = boxSpace(['a'])
const isViolation = (): boolean => false
const profile = { bootstrap: true, onlineReward: 1, servingReward: 1, servingDeviation: 1 }
const lifecycle = new Lifecycle(profile)
const learner = new EnvelopePilot(agent, rule, action, { isViolation })
const misspelt = { windowSize: 3 }

describe('a misspelt option is refused, not ignored', () => {
  it.each<[string, () => unknown, RegExp]>([
    [
      'Lifecycle',
      () => new Lifecycle({ ...profile, ...misspelt }),
      /profile\.windowSize is no option; there are bootstrap/,
    ],
    ['LifecyclePilot', () => new LifecyclePilot({ agent, rule, lifecycle, ...misspelt }), /options\.windowSize/],
    [
      'EnvelopePilot',
      () => new EnvelopePilot(agent, rule, action, { isViolation, ...misspelt }),
      /options\.windowSize/,
    ],
    [
      'MarginPilot',
      () =>
        new MarginPilot(
          { agent, policy: rule, rule, action },
          { isViolation, safeDirection: [1], allowedRate: 0.1, ...misspelt },
        ),
      /options\.windowSize/,
    ],
    ['RetrainingPilot', () => new RetrainingPilot({ learner, lifecycle, ...misspelt }), /options\.windowSize/],
    [
      "RetrainingPilot's violations",
      () => new RetrainingPilot({ learner, lifecycle, violations: { isViolation, allowedRate: 0.1, ...misspelt } }),
      /options\.violations\.windowSize/,
    ],
    [
      'MemoryTrajectoryStore',
      () => new MemoryTrajectoryStore({ capacity: 1, ...misspelt }),
      /options\.windowSize is no option; there are capacity/,
    ],
  ])('by %s', (_name, make, message) => {
    expect(make).toThrow(message)
    expect(make).toThrow(expect.objectContaining({ code: 'config_invalid' }))
  })
})

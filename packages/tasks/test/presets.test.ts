import { type Core, createCore } from '@trimtab/core'
import { boxSpace, createBcq, createDdpg, createDqn, createPpo, discreteSpace } from '@trimtab/learn'
import { beforeAll, describe, expect, it } from 'vitest'
import { AUTOSCALING_BCQ, AUTOSCALING_DDPG, AWARE_DDPG, SIMPPO } from '../src/autoscaling/index.js'
import { AURORA } from '../src/congestion-control/index.js'
import { FREQUENCY_DQN, SMARTOVERCLOCK_DQN } from '../src/cpu-frequency/index.js'
import { FIRM_CONTINUOUS, FIRM_TERNARY, MITIGATION_DDPG } from '../src/microservices/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const spaces = { observation: boxSpace(['x']), action: boxSpace(['y']), seed: 1 }
const choices = { ...spaces, action: discreteSpace('y', 3) }

describe('presets of the tasks', () => {
  it('pass the validation of their families and name their agents', () => {
    const small = { capacity: 50_000 }
    const agents = [
      ...[AUTOSCALING_DDPG, AWARE_DDPG, FIRM_CONTINUOUS, FIRM_TERNARY, MITIGATION_DDPG].map(({ preset, options }) =>
        createDdpg(core, { ...spaces, preset, options: { ...options, ...small } }),
      ),
      ...[FREQUENCY_DQN, SMARTOVERCLOCK_DQN].map(({ preset, options }) =>
        createDqn(core, { ...choices, preset, options: { ...options, ...small } }),
      ),
      ...[AURORA, SIMPPO].map((preset) => createPpo(core, { ...spaces, ...preset })),
      createBcq(core, { ...spaces, ...AUTOSCALING_BCQ }),
    ]
    expect(agents.map(({ name }) => name)).toEqual([
      ...['ddpg/autoscaling', 'ddpg/aware-paper', 'ddpg/firm-continuous', 'ddpg/firm-ternary', 'ddpg/mitigation'],
      ...['dqn/cpu-frequency', 'dqn/smartoverclock-literal', 'ppo/aurora', 'ppo/simppo', 'bcq/autoscaling'],
    ])
    for (const agent of agents) agent.dispose()
  })

  // Dissertation tables 3.3 and 5.2, as printed.
  it.each([
    [FIRM_CONTINUOUS, 1e5, 0.9, 2e-3],
    [FIRM_TERNARY, 1e5, 0.9, 2e-3],
    [AWARE_DDPG, 1e6, 0.99, 3e-3],
  ] as const)(
    '$preset has the printed buffer, discount and soft update',
    ({ options }, capacity, discount, targetRate) => {
      expect(options).toMatchObject({
        ...{ batchSize: 64, capacity, discount, targetRate, hidden: [40, 40] },
        ...{ actorLearningRate: 3e-4, criticLearningRate: 3e-3 },
        noise: { schedule: { from: 1, decrement: 1e-6 } },
      })
    },
  )

  it('have table A.7 for Aurora', () => {
    expect(AURORA.options).toMatchObject({
      ...{ rolloutSteps: 2048, miniBatchSize: 64, epochs: 10, policyLearningRate: 3e-4, valueLearningRate: 3e-4 },
      ...{ discount: 0.99, lambda: 0.95, clip: 0.2, valueWeight: 0.5, entropyWeight: 0.005, maxGradientNorm: 0.5 },
      ...{ hidden: [32, 16], activation: 'tanh' },
    })
  })

  it('have SIMPPO’s 4,993 parameters in a 2 × 64 net of 11 inputs and 1 output', () => {
    const [a, b] = SIMPPO.options.hidden as [number, number]
    expect(11 * a + a + a * b + b + b + 1).toBe(4993)
  })
})

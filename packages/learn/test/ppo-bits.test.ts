// One head whose critic sees no more than its actor learns to the bit as it did before there were others: the digests of whole files
// were taken from that version.
import { createHash } from 'node:crypto'
import { type Core, createCore } from '@trimtab/core'
import { beforeAll, expect, it } from 'vitest'
import { boxSpace, createPpo, discreteSpace, type PpoSetup } from '../src/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const wave = (length: number, phase = 0): Float32Array =>
  Float32Array.from({ length }, (_, i) => ((((i + 1) * 7919 + phase * 104729) % 2003) / 2003) * 2 - 1)

const SETUPS: readonly (readonly [
  string,
  string,
  Pick<PpoSetup, 'action' | 'contextSize' | 'partitions' | 'options'>,
])[] = [
  ['choices', '2d560d1588cf798b', { action: discreteSpace('change', 5) }],
  [
    'a box, contexts, a normaliser',
    '2e06595c4b3f7654',
    { action: boxSpace(['a', 'b']), contextSize: 2, partitions: 2, options: { calibrationSteps: 10 } },
  ],
  [
    'Monte-Carlo returns, draws with replacement, entropy',
    'dfc94ecff6a790ad',
    {
      action: discreteSpace('change', 5),
      options: {
        ...{ draw: 'replacement', returns: 'monte-carlo', sharedNorm: false, normalise: 'rollout' },
        ...{ entropyWeight: 0.01, activation: 'relu', initialisation: 'uniform' },
      },
    },
  ],
]

it.each(SETUPS)('keeps its bits: %s', (_, digest, setup) => {
  const options = { rolloutSteps: 60, miniBatchSize: 7, hidden: [12, 9], epochs: 3, ...setup.options }
  using agent = createPpo(core, { observation: boxSpace(['x', 'y', 'z']), seed: 7, ...setup, options })
  if (agent.contextSize > 0) agent.setContext(Float32Array.of(0.4, -0.6))
  const action = new Float32Array(setup.action.names.length)
  for (let i = 0; i < 200; i++) {
    const [observation, nextObservation] = [wave(3, i), wave(3, i + 1)]
    const partition = agent.contextSize > 0 ? i % 2 : 0
    if (i === 120) agent.explorationScale = 0.6
    agent.explore(observation, action, partition)
    const reward = wave(1, i + 3)[0]! - action[0]! ** 2
    agent.observe({ observation, action, reward, nextObservation, terminated: i % 11 === 10 }, partition)
    if (i % 25 === 24) agent.endEpisode(partition)
    agent.update()
  }
  expect(createHash('sha256').update(agent.save()).digest('hex').slice(0, 16)).toBe(digest)
})

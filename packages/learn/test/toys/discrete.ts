import { boxSpace, discreteSpace } from '../../src/index.js'
import { acting, type Toy, ToyEnvironment, uniformOf } from './toy.js'

const PLACES = 5

/**
 * A chain of five places. Forward pays nothing until the end, where each step more pays 1; back leads to the start and pays 0.1
 * at once. Twenty steps: always back earns 2, forward throughout 16. A learner with γ 0.5 sees 0.125 against 0.2 and goes back.
 */
export const chain = (): Toy => ({
  name: 'chain',
  environment: new ToyEnvironment({
    observation: boxSpace(
      Array.from({ length: PLACES }, (_, place) => `at${place}`),
      0,
      1,
    ),
    action: discreteSpace('move', 2),
    steps: 20,
    start: () => [0],
    see: ([place]) => Array.from({ length: PLACES }, (_, i) => Number(i === place)),
    move([place], action) {
      if (action === 0) return { state: [0], reward: 0.1 }
      const isEnd = place === PLACES - 1
      return { state: [isEnd ? place! : place! + 1], reward: isEnd ? 1 : 0 }
    },
  }),
  best: acting('forward', () => 1),
  idle: acting('back', () => 0),
})

const GRID = 0.2

/** A level that moves by a fifth of its range a step, or not: the reward is minus the distance from a goal that each episode sets. */
export const levels = (): Toy => ({
  name: 'levels',
  environment: new ToyEnvironment({
    observation: boxSpace(['level', 'goal']),
    action: discreteSpace('move', 3),
    steps: 20,
    start: (seed) => [0, 1].map((i) => -0.9 + GRID * Math.floor(10 * uniformOf(seed, i))),
    see: (state) => state,
    move([level, goal], action) {
      const next = Math.min(0.9, Math.max(-0.9, level! + GRID * (action - 1)))
      return { state: [next, goal!], reward: -Math.abs(next - goal!) }
    },
  }),
  best: acting('towards', ([level, goal]) => 1 + Math.sign(Math.round((goal! - level!) / GRID))),
  idle: acting('stay', () => 1),
})

const ARMS = 5

/** A bandit whose best of five arms depends on what is seen: it pays 1, its neighbours half, the others nothing, all with noise of ±0.5. */
export const arms = (): Toy => ({
  name: 'arms',
  environment: new ToyEnvironment({
    observation: boxSpace(['context']),
    action: discreteSpace('arm', ARMS),
    steps: 1,
    isTerminal: true,
    start: (seed) => [2 * uniformOf(seed, 0) - 1],
    see: (state) => state,
    move([context], action, draw) {
      const distance = Math.abs(action - armOf(context!))
      return { state: [context!], reward: Math.max(0, 1 - distance / 2) + draw - 0.5 }
    },
  }),
  best: acting('best arm', ([context]) => armOf(context!)),
  idle: acting('first arm', () => 0),
})

const armOf = (context: number): number => Math.min(ARMS - 1, Math.floor(((context + 1) / 2) * ARMS))

import { boxSpace } from '../../src/index.js'
import { acting, type Toy, ToyEnvironment, uniformOf } from './toy.js'

const clip = (x: number): number => Math.min(1, Math.max(-1, x))
const STRIDE = 0.3

/** A level that the action moves by up to 0.3 a step: the reward is minus the squared distance from a goal that each episode sets. */
export const setPoint = (): Toy => ({
  name: 'set-point',
  environment: new ToyEnvironment({
    observation: boxSpace(['level', 'goal']),
    action: boxSpace(['change']),
    steps: 20,
    start: (seed) => [0, 1].map((i) => 2 * uniformOf(seed, i) - 1),
    see: (state) => state,
    move([level, goal], action) {
      const next = clip(level! + STRIDE * action)
      return { state: [next, goal!], reward: -((next - goal!) ** 2) }
    },
  }),
  best: acting('straight', ([level, goal]) => clip((goal! - level!) / STRIDE)),
  idle: acting('stay', () => 0),
})

/** A bandit with a continuous arm: 1 − (a − f(context))², with noise of ±0.5. */
export const dial = (): Toy => ({
  name: 'dial',
  environment: new ToyEnvironment({
    observation: boxSpace(['context']),
    action: boxSpace(['dial']),
    steps: 1,
    isTerminal: true,
    start: (seed) => [2 * uniformOf(seed, 0) - 1],
    see: (state) => state,
    move([context], action, draw) {
      return { state: [context!], reward: 1 - (action - settingOf(context!)) ** 2 + draw - 0.5 }
    },
  }),
  best: acting('right setting', ([context]) => settingOf(context!)),
  idle: acting('middle', () => 0),
})

const settingOf = (context: number): number => 0.6 * context ** 2 + 0.4 * context - 0.3

// The double integrator: p' = p + v·DT, v' = v + a·FORCE·DT between walls; cost p² + 0.1 v² + 0.1 a² a step.
const DT = 0.2
const FORCE = 2
const STEPS = 50
const WALL = 2
const A = [
  [1, DT],
  [0, 1],
] as const
const B = [0, FORCE * DT] as const
const STATE_COST = [1, 0.1] as const
const ACTION_COST = 0.1

/**
 * Linear dynamics, quadratic cost: what can be earned is known to the last digit. `best` is the optimal feedback a = −K_t x for the
 * steps left, by the Riccati recursion backwards from the end; from these starts it stays inside [−1, 1] and far from the walls.
 */
export const doubleIntegrator = (): Toy => integrator('double integrator', 0.2)

/** The same from rest, where doing nothing costs little: what is learned badly soon costs as much. */
export const integratorAtRest = (): Toy => integrator('double integrator at rest', 0)

function integrator(name: string, speed: number): Toy {
  const gains = riccatiGains(STEPS)
  let step = 0
  return {
    name,
    environment: new ToyEnvironment({
      observation: boxSpace(['position', 'velocity'], -10, 10),
      action: boxSpace(['force']),
      steps: STEPS,
      start: (seed) => [0.4 * (2 * uniformOf(seed, 0) - 1), speed * (2 * uniformOf(seed, 1) - 1)],
      see: (state) => state,
      move([p, v], a) {
        const cost = STATE_COST[0] * p! ** 2 + STATE_COST[1] * v! ** 2 + ACTION_COST * a ** 2
        return { state: [p! + DT * v!, v! + B[1] * a].map((x) => Math.min(WALL, Math.max(-WALL, x))), reward: -cost }
      },
    }),
    best: {
      ...acting('riccati', ([p, v]) => {
        const [kp, kv] = gains[step++]!
        return -(kp * p! + kv * v!)
      }),
      beginEpisode() {
        step = 0
      },
    },
    idle: acting('no force', () => 0),
  }
}

/** K_t for t = 0 … steps − 1: P_T = 0; K = (R + BᵀPB)⁻¹BᵀPA; P = Q + Aᵀ P (A − BK). */
function riccatiGains(steps: number): [number, number][] {
  let p = [
    [0, 0],
    [0, 0],
  ]
  const gains: [number, number][] = []
  for (let t = steps - 1; t >= 0; t--) {
    const pb = p.map((row) => row[0]! * B[0] + row[1]! * B[1])
    const weight = ACTION_COST + B[0] * pb[0]! + B[1] * pb[1]!
    const k = [0, 1].map((j) => (pb[0]! * A[0][j]! + pb[1]! * A[1][j]!) / weight) as [number, number]
    const closed = A.map((row, i) => row.map((value, j) => value - B[i]! * k[j]!)) // A − BK
    const pClosed = p.map((row) => [0, 1].map((j) => row[0]! * closed[0]![j]! + row[1]! * closed[1]![j]!))
    p = [0, 1].map((i) =>
      [0, 1].map((j) => A[0][i]! * pClosed[0]![j]! + A[1][i]! * pClosed[1]![j]! + (i === j ? STATE_COST[i]! : 0)),
    )
    gains[t] = k
  }
  return gains
}

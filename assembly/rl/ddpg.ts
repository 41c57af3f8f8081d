// Deep deterministic policy gradient: acting, remembering, and the whole update as one call.
// Lillicrap et al. 2016; critic → actor through the updated critic → targets → average (dissertation 3.2.4, Algorithm 3.3).
// agent.ts holds the memory map. N: batch, S: state, A: action.
import { EMPTY, NOT_FINITE, OK } from '../abi'
import { padded, Real, REAL } from '../math/real'
import { activate, TANH } from '../nn/activation'
import { adam, AdamOptions, LARGEST_SQUARED_NORM, polyak, squaredNorm } from '../nn/adam'
import { backward, copyReals, copyRows, deltas, forward, layerOf, Net, outputs } from '../nn/mlp'
import { random_integer } from '../random/xoshiro'
import { Agent } from './agent'
import { insertRecord, recordAt, scalarsOffset } from './replay'

// @ts-ignore: decorator
@inline function actorOf(agent: Agent): Net {
  return changetype<Net>(agent.actor)
}
// @ts-ignore: decorator
@inline function criticOf(agent: Agent): Net {
  return changetype<Net>(agent.critic)
}
// @ts-ignore: decorator
@inline function actorBytes(agent: Agent): usize {
  return <usize>actorOf(agent).flat * REAL
}
// @ts-ignore: decorator
@inline function criticBytes(agent: Agent): usize {
  return <usize>criticOf(agent).flat * REAL
}
/** Bytes of a critic input (s, a). */
// @ts-ignore: decorator
@inline function inputRow(agent: Agent): usize {
  return <usize>(agent.stateSize + agent.actionSize) * REAL
}

/** pi [n, padded(A)] = tanh(net(s)), and its A columns into the action columns of x [n, S + A]. */
function policy(agent: Agent, parameters: usize, x: usize, n: i32): void {
  const net = actorOf(agent)
  const row = inputRow(agent)
  const width = padded(agent.actionSize)
  forward(net, parameters, x, row, n, agent.actorSpace)
  activate(TANH, outputs(net, agent.actorSpace), agent.pi, n * width)
  copyRows(x + <usize>agent.stateSize * REAL, row, agent.pi, <usize>width * REAL, agent.actionSize, n)
}

/** The io record's action = π(its state). which: 0 actor, 1 average. */
export function ddpg_act(pointer: usize, which: i32): void {
  const agent = changetype<Agent>(pointer)
  policy(agent, which && agent.averageRate > 0.0 ? agent.average : agent.live, agent.io, 1)
}

/** Q of the io record's state and action. */
export function ddpg_q(pointer: usize): f64 {
  const agent = changetype<Agent>(pointer)
  const net = criticOf(agent)
  forward(net, agent.live + actorBytes(agent), agent.io, inputRow(agent), 1, agent.criticSpace)
  return <f64>load<Real>(outputs(net, agent.criticSpace))
}

/** Stores the io record: 0, or NOT_FINITE and nothing changed. */
export function ddpg_insert(pointer: usize): i32 {
  const agent = changetype<Agent>(pointer)
  return insertRecord(agent, agent.io) ? OK : NOT_FINITE
}

/** `steps` updates, each on a fresh batch: 0, or EMPTY when nothing is stored. */
export function ddpg_update(pointer: usize, steps: i32): i32 {
  const agent = changetype<Agent>(pointer)
  if (agent.count == 0) return EMPTY
  for (; steps > 0; steps--) {
    for (let i: usize = 0; i < <usize>agent.batch; i++) {
      store<i32>(agent.indices + (i << 2), random_integer(agent.random, agent.count))
    }
    ddpg_learn(pointer)
  }
  return OK
}

/** One update on the transitions named by `indices`. A loss or gradient that is not finite changes nothing but `skipped`. */
export function ddpg_learn(pointer: usize): void {
  const agent = changetype<Agent>(pointer)
  gather(agent)
  setGoals(agent)
  if (learnCritic(agent) && learnActor(agent)) {
    agent.updates++
    polyak(agent.targets, agent.live, actorOf(agent).flat + criticOf(agent).flat, agent.targetRate)
    if (agent.averageRate > 0.0) polyak(agent.average, agent.live, actorOf(agent).flat, agent.averageRate)
  } else agent.skipped++
}

/** Records → batch columns. */
function gather(agent: Agent): void {
  const inputs = agent.stateSize + agent.actionSize
  const row = inputRow(agent)
  const actionRow = <usize>agent.actionSize * REAL
  const scalars = scalarsOffset(agent)
  for (let i: usize = 0; i < <usize>agent.batch; i++) {
    const record = recordAt(agent, load<i32>(agent.indices + (i << 2)))
    copyReals(agent.here + i * row, record, inputs)
    copyReals(agent.there + i * row, record + row, agent.stateSize)
    copyReals(agent.rule + i * actionRow, record + row + <usize>agent.stateSize * REAL, agent.actionSize)
    store<Real>(agent.rewards + i * REAL, load<Real>(record + scalars))
    store<Real>(agent.terminated + i * REAL, load<Real>(record + scalars + REAL))
    store<Real>(agent.hasRule + i * REAL, load<Real>(record + scalars + 2 * REAL))
  }
}

/** goal = r + γ (1 − terminated) Q'(s', π'(s')) */
function setGoals(agent: Agent): void {
  const net = criticOf(agent)
  const n = agent.batch
  policy(agent, agent.targets, agent.there, n)
  forward(net, agent.targets + actorBytes(agent), agent.there, inputRow(agent), n, agent.criticSpace)
  const discount = <Real>agent.discount
  const row = <usize>padded(1) * REAL
  let q = outputs(net, agent.criticSpace)
  for (let i: usize = 0; i < <usize>n * REAL; i += REAL, q += row) {
    const alive: Real = <Real>1.0 - load<Real>(agent.terminated + i)
    store<Real>(agent.goals + i, load<Real>(agent.rewards + i) + discount * (alive * load<Real>(q)))
  }
}

/** One Adam step on mean((Q(s, a) − goal)²); what it overwrites is kept in `undo`. */
function learnCritic(agent: Agent): bool {
  const net = criticOf(agent)
  const n = agent.batch
  const parameters = agent.live + actorBytes(agent)
  const gradients = agent.gradients + actorBytes(agent)
  forward(net, parameters, agent.here, inputRow(agent), n, agent.criticSpace)
  const row = <usize>padded(1) * REAL
  const scale: Real = <Real>2.0 / <Real>n
  let q = outputs(net, agent.criticSpace)
  let delta = deltas(net, agent.criticSpace)
  memory.fill(delta, 0, <usize>n * row)
  let loss = 0.0, sum = 0.0
  for (let i: usize = 0; i < <usize>n * REAL; i += REAL, q += row, delta += row) {
    const value = load<Real>(q)
    const error = value - load<Real>(agent.goals + i)
    store<Real>(agent.values + i, value)
    store<Real>(delta, scale * error)
    loss += <f64>error * <f64>error
    sum += <f64>value
  }
  memory.fill(gradients, 0, criticBytes(agent))
  backward(net, parameters, agent.here, inputRow(agent), n, agent.criticSpace, gradients, false)
  const squared = squaredNorm(gradients, net.flat)
  if (!(loss < Infinity && squared < LARGEST_SQUARED_NORM)) return false
  agent.criticLoss = loss / <f64>n
  agent.meanQ = sum / <f64>n
  const bytes = criticBytes(agent)
  memory.copy(agent.undo, parameters, bytes)
  memory.copy(agent.undo + bytes, agent.criticMoments, 2 * bytes)
  const moments = agent.criticMoments
  adam(changetype<AdamOptions>(agent.criticAdam), parameters, gradients, moments, moments + bytes, net.flat, agent.updates + 1, squared)
  return true
}

/**
 * One Adam step on −mean Q(s, π(s)) + penalty · mean z² + cloning · mean (π(s) − rule)², z the outputs before tanh;
 * the last mean is over the coordinates of samples that have a rule action. Takes the critic's step back when it cannot.
 */
function learnActor(agent: Agent): bool {
  const net = actorOf(agent), critic = criticOf(agent)
  const n = agent.batch
  const criticParameters = agent.live + actorBytes(agent)
  policy(agent, agent.live, agent.here, n)
  forward(critic, criticParameters, agent.here, inputRow(agent), n, agent.criticSpace)
  const row = <usize>padded(1) * REAL
  let q = outputs(critic, agent.criticSpace)
  let delta = deltas(critic, agent.criticSpace)
  memory.fill(delta, 0, <usize>n * row)
  const share: Real = <Real>-1.0 / <Real>n
  let sum = 0.0
  for (let i = 0; i < n; i++, q += row, delta += row) {
    sum += <f64>load<Real>(q)
    store<Real>(delta, share)
  }
  const slopes = backward(critic, criticParameters, agent.here, inputRow(agent), n, agent.criticSpace, 0, true)
  const loss = setActorDeltas(agent, slopes) - sum / <f64>n
  memory.fill(agent.gradients, 0, actorBytes(agent))
  backward(net, agent.live, agent.here, inputRow(agent), n, agent.actorSpace, agent.gradients, false)
  const squared = squaredNorm(agent.gradients, net.flat)
  if (!(abs(loss) < Infinity && squared < LARGEST_SQUARED_NORM)) {
    const bytes = criticBytes(agent)
    memory.copy(criticParameters, agent.undo, bytes)
    memory.copy(agent.criticMoments, agent.undo + bytes, 2 * bytes)
    return false
  }
  agent.actorLoss = loss
  const moments = agent.actorMoments
  adam(
    changetype<AdamOptions>(agent.actorAdam), agent.live, agent.gradients, moments, moments + actorBytes(agent), net.flat,
    agent.updates + 1, squared,
  )
  return true
}

/** dLoss/dz from dLoss/d(s, a) `slopes` [N, padded(S + A)]; returns penalty and cloning loss. */
function setActorDeltas(agent: Agent, slopes: usize): f64 {
  const net = actorOf(agent)
  const n = agent.batch, actions = agent.actionSize
  const width = <usize>padded(actions) * REAL
  const slopeRow = <usize>padded(agent.stateSize + actions) * REAL
  let withRule = 0.0
  for (let i: usize = 0; i < <usize>n * REAL; i += REAL) withRule += <f64>load<Real>(agent.hasRule + i)
  const cloning = withRule > 0.0 ? <Real>(agent.cloningWeight / (withRule * <f64>actions)) : <Real>0.0
  const penalty = <Real>(agent.outputPenalty / <f64>(n * actions))
  const z = outputs(net, agent.actorSpace)
  const out = deltas(net, agent.actorSpace)
  memory.fill(out, 0, <usize>n * width)
  let loss = 0.0
  for (let i: usize = 0; i < <usize>n; i++) {
    const clone = cloning * load<Real>(agent.hasRule + i * REAL)
    for (let j: usize = 0; j < <usize>actions; j++) {
      const at = i * width + j * REAL
      const p = load<Real>(agent.pi + at)
      const before = load<Real>(z + at)
      const gap = p - load<Real>(agent.rule + (i * <usize>actions + j) * REAL)
      const slope = load<Real>(slopes + i * slopeRow + (<usize>agent.stateSize + j) * REAL) + <Real>2.0 * (clone * gap)
      store<Real>(out + at, slope * (<Real>1.0 - p * p) + <Real>2.0 * (penalty * before))
      loss += <f64>(clone * gap * gap) + <f64>(penalty * before * before)
    }
  }
  return loss
}

// Deep deterministic policy gradient: acting, remembering, and the whole update as one call.
// Lillicrap et al. 2016; critic → actor through the updated critic → targets → average (dissertation 3.2.4, Algorithm 3.3).
// A context z may stand behind the state, of both networks, as every base learner of FLASH has it (5.4.3): one for acting, in an
// update one for each group of rows, and the critic's loss says what of them was wrong.
// agent.ts holds the memory map. N: batch, S: state, Z: context, A: action, G: groups.
import { OK } from '../abi'
import { padded, Real, REAL } from '../math/real'
import { activate, TANH } from '../nn/activation'
import { adam, AdamOptions, LARGEST_SQUARED_NORM, polyak, squaredNorm } from '../nn/adam'
import { skipEncoder, stepEncoder } from '../nn/context-encoder'
import { Encoder } from '../nn/context-encoder-plan'
import { backward, copyReals, copyRows, deltas, forward, layerOf, Net, outputs } from '../nn/mlp'
import { Agent } from './ddpg-plan'
import { sumContextSlopes } from './context'
import { failGuard, passGuard } from '../nn/last-good'
import { drawBatch, drawPairs, gatherTransitions, learnEncoder, recordOf, useOwnContext } from './off-policy'
import { ringAt, scalarsOffset } from './pair-replay'

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
/** Bytes of a critic input (s, z, a). */
// @ts-ignore: decorator
@inline function inputRow(agent: Agent): usize {
  return <usize>(agent.stateSize + agent.contextSize + agent.actionSize) * REAL
}
/** Where the action's columns begin in it. */
// @ts-ignore: decorator
@inline function actionOffset(agent: Agent): usize {
  return <usize>(agent.stateSize + agent.contextSize) * REAL
}

/** pi [n, padded(A)] = tanh(net(s, z)), and its A columns into the action columns of x [n, S + Z + A]. */
function policy(agent: Agent, parameters: usize, x: usize, n: i32): void {
  const net = actorOf(agent)
  const row = inputRow(agent)
  const width = padded(agent.actionSize)
  forward(net, parameters, x, row, n, agent.actorSpace)
  activate(TANH, outputs(net, agent.actorSpace), agent.pi, n * width)
  copyRows(x + actionOffset(agent), row, agent.pi, <usize>width * REAL, agent.actionSize, n)
}

/** The io record's state and action, the context between them. */
function setInput(agent: Agent): void {
  copyReals(agent.input, agent.io, agent.stateSize)
  copyReals(agent.input + <usize>agent.stateSize * REAL, agent.context, agent.contextSize)
  copyReals(agent.input + actionOffset(agent), agent.io + <usize>agent.stateSize * REAL, agent.actionSize)
}

/** The io record's action = π(its state). which: 0 actor, 1 average. */
export function ddpg_act(pointer: usize, which: i32): void {
  const agent = changetype<Agent>(pointer)
  setInput(agent)
  policy(agent, which && agent.averageRate > 0.0 ? agent.average : agent.live, agent.input, 1)
  copyReals(agent.io + <usize>agent.stateSize * REAL, agent.input + actionOffset(agent), agent.actionSize)
}

/** Q of the io record's state and action. */
export function ddpg_q(pointer: usize): f64 {
  const agent = changetype<Agent>(pointer)
  const net = criticOf(agent)
  setInput(agent)
  forward(net, agent.live + actorBytes(agent), agent.input, inputRow(agent), 1, agent.criticSpace)
  return <f64>load<Real>(outputs(net, agent.criticSpace))
}

/** `steps` updates, each on a fresh batch of ring 0: 0, or EMPTY when nothing is stored. */
export function ddpg_update(pointer: usize, steps: i32): i32 {
  const agent = changetype<Agent>(pointer)
  for (; steps > 0; steps--) {
    const status = drawBatch(agent)
    if (status != OK) return status
    learn(agent, 1, 0)
  }
  return OK
}

/**
 * One update on what `drawPairs` draws, N transitions of G groups with their contexts [G, Z]; the encoder's parameters,
 * where there is one, learn from the critic's loss.
 */
export function ddpg_update_pairs(pointer: usize, groups: i32, encoder: usize): i32 {
  const agent = changetype<Agent>(pointer)
  const status = drawPairs(agent, groups, encoder)
  if (status == OK) learn(agent, groups, encoder)
  return status
}

/** One update on the transitions named by `indices`, all under the context for acting. */
export function ddpg_learn(pointer: usize): void {
  const agent = changetype<Agent>(pointer)
  useOwnContext(agent)
  learn(agent, 1, 0)
}

/** A loss or gradient that is not finite changes nothing but the guard's counters; after three in a row the last good weights come back. */
function learn(agent: Agent, groups: i32, encoder: usize): void {
  gather(agent)
  setGoals(agent)
  const encoderSquared = learnCritic(agent, groups, encoder)
  if (encoderSquared < LARGEST_SQUARED_NORM && learnActor(agent)) {
    agent.updates++
    polyak(agent.targets, agent.live, actorOf(agent).flat + criticOf(agent).flat, agent.targetRate)
    if (agent.averageRate > 0.0) polyak(agent.average, agent.live, actorOf(agent).flat, agent.averageRate)
    if (encoder != 0) stepEncoder(changetype<Encoder>(encoder), encoderSquared)
  } else {
    failGuard(agent.guard)
    if (encoder != 0) skipEncoder(changetype<Encoder>(encoder))
  }
}

/** Records → batch columns. */
function gather(agent: Agent): void {
  const row = inputRow(agent)
  const actions = agent.actionSize
  const stateRow = <usize>agent.stateSize * REAL, actionRow = <usize>actions * REAL
  const scalars = scalarsOffset(ringAt(agent.rings, 0))
  gatherTransitions(agent, agent.here, agent.there, row)
  for (let i: usize = 0; i < <usize>agent.batch; i++) {
    const record = recordOf(agent, i)
    copyReals(agent.here + i * row + actionOffset(agent), record + stateRow, actions)
    copyReals(agent.rule + i * actionRow, record + 2 * stateRow + actionRow, actions)
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

/**
 * One Adam step on mean((Q(s, a) − goal)²); what it overwrites is kept in `undo`. Fills the slopes of the contexts, and the encoder's
 * gradients where there is one. Returns their squared norm (0 without encoder), or infinity when anything is not finite.
 */
function learnCritic(agent: Agent, groups: i32, encoder: usize): f64 {
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
  const hasContext = agent.contextSize > 0
  const slopes = backward(net, parameters, agent.here, inputRow(agent), n, agent.criticSpace, gradients, hasContext)
  if (hasContext) {
    const inputs = agent.stateSize + agent.contextSize + agent.actionSize
    sumContextSlopes(
      agent.slopes, groups, slopes + <usize>agent.stateSize * REAL, <usize>padded(inputs) * REAL, agent.contextSize, agent.groupOf, n,
    )
  }
  const squared = squaredNorm(gradients, net.flat)
  if (!(loss < Infinity && squared < LARGEST_SQUARED_NORM)) return Infinity
  const encoderSquared = learnEncoder(agent, encoder, groups)
  if (!(encoderSquared < LARGEST_SQUARED_NORM)) return Infinity
  agent.criticLoss = loss / <f64>n
  agent.meanQ = sum / <f64>n
  const bytes = criticBytes(agent)
  memory.copy(agent.undo, parameters, bytes)
  memory.copy(agent.undo + bytes, agent.criticMoments, 2 * bytes)
  const moments = agent.criticMoments
  adam(changetype<AdamOptions>(agent.criticAdam), parameters, gradients, moments, moments + bytes, net.flat, agent.updates + 1, squared)
  return encoderSquared
}

/**
 * One Adam step on −mean Q(s, π(s)) + penalty · mean z² + saturation · mean max(0, |z| − limit)² + cloning · mean (π(s) − rule)²,
 * z the outputs before tanh; the last mean is over the coordinates of samples that have a rule action. Takes the critic's step back when it cannot.
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
  passGuard(agent.guard) // both losses are finite: critic after its step, actor before its own
  const moments = agent.actorMoments
  adam(
    changetype<AdamOptions>(agent.actorAdam), agent.live, agent.gradients, moments, moments + actorBytes(agent), net.flat,
    agent.updates + 1, squared,
  )
  return true
}

/** dLoss/dz from dLoss/d(s, z, a) `slopes` [N, padded(S + Z + A)]; returns penalties and cloning loss. */
function setActorDeltas(agent: Agent, slopes: usize): f64 {
  const net = actorOf(agent)
  const n = agent.batch, actions = agent.actionSize
  const width = <usize>padded(actions) * REAL
  const slopeRow = <usize>padded(agent.stateSize + agent.contextSize + actions) * REAL
  let withRule = 0.0
  for (let i: usize = 0; i < <usize>n * REAL; i += REAL) withRule += <f64>load<Real>(agent.hasRule + i)
  const cloning = withRule > 0.0 ? <Real>(agent.cloningWeight / (withRule * <f64>actions)) : <Real>0.0
  const penalty = <Real>(agent.outputPenalty / <f64>(n * actions))
  const saturation = <Real>(agent.saturationPenalty / <f64>(n * actions))
  const limit = <Real>agent.saturationLimit
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
      const slope = load<Real>(slopes + i * slopeRow + actionOffset(agent) + j * REAL) + <Real>2.0 * (clone * gap)
      const beyond = max(<Real>0.0, abs(before) - limit)
      const outward = saturation * (before < <Real>0.0 ? -beyond : beyond)
      store<Real>(out + at, slope * (<Real>1.0 - p * p) + <Real>2.0 * (penalty * before + outward))
      loss += <f64>(clone * gap * gap) + <f64>(penalty * before * before) + <f64>(saturation * beyond * beyond)
    }
  }
  return loss
}

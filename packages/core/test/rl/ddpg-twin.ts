// A slow, obvious DDPG: losses written as the paper writes them, gradients by central differences.
import type { DdpgKernelOptions } from '../../src/internal.js'
import { centralDifferences } from '../builds.js'
import { adamTwin, runTwin, toTwin } from '../twins.js'
import type { PlainTransition } from './ddpg-agent.js'

export interface DdpgTwin {
  readonly options: DdpgKernelOptions
  actor: number[]
  critic: number[]
  targetActor: number[]
  targetCritic: number[]
  averaged: number[]
  readonly moments: { actorM: number[]; actorV: number[]; criticM: number[]; criticV: number[] }
  step: number
}

export function startTwin(options: DdpgKernelOptions, actor: ArrayLike<number>, critic: ArrayLike<number>): DdpgTwin {
  const zeros = (like: ArrayLike<number>): number[] => Array(like.length).fill(0)
  return {
    options,
    actor: Array.from(actor),
    critic: Array.from(critic),
    targetActor: Array.from(actor),
    targetCritic: Array.from(critic),
    averaged: Array.from(actor),
    moments: { actorM: zeros(actor), actorV: zeros(actor), criticM: zeros(critic), criticV: zeros(critic) },
    step: 0,
  }
}

const mean = (x: readonly number[]): number => x.reduce((a, b) => a + b, 0) / x.length

export function updateTwin(
  twin: DdpgTwin,
  batch: readonly PlainTransition[],
): { criticLoss: number; actorLoss: number } {
  const { options } = twin
  const actorSizes = [options.stateSize, ...options.hidden, options.actionSize]
  const criticSizes = [options.stateSize + options.actionSize, ...options.hidden, 1]
  const kinds = [...options.hidden.map(() => 'relu'), 'linear']
  const outputs = (parameters: ArrayLike<number>, state: number[]): number[] =>
    runTwin(toTwin(actorSizes, parameters), kinds, state)
  const policy = (parameters: ArrayLike<number>, state: number[]): number[] => outputs(parameters, state).map(Math.tanh)
  const q = (parameters: ArrayLike<number>, state: number[], action: number[]): number =>
    runTwin(toTwin(criticSizes, parameters), kinds, [...state, ...action])[0]!

  const goals = batch.map(
    (t) =>
      t.reward + (t.terminated ? 0 : options.discount * q(twin.targetCritic, t.next, policy(twin.targetActor, t.next))),
  )
  const criticLoss = (parameters: ArrayLike<number>): number =>
    mean(batch.map((t, i) => (q(parameters, t.state, t.action) - goals[i]!) ** 2))
  const actorLoss = (parameters: ArrayLike<number>): number => {
    const value = mean(batch.map((t) => q(twin.critic, t.state, policy(parameters, t.state))))
    const penalty = mean(batch.flatMap((t) => outputs(parameters, t.state).map((z) => z * z)))
    const gaps = batch.flatMap((t) => (t.rule ? policy(parameters, t.state).map((p, j) => (p - t.rule![j]!) ** 2) : []))
    const cloning = gaps.length > 0 ? mean(gaps) : 0
    return -value + options.outputPenalty * penalty + options.cloningWeight * cloning
  }

  twin.step++
  const adam = {
    beta1: 0.9,
    beta2: 0.999,
    epsilon: 1e-8,
    decoupled: false,
    ...options,
    maxNorm: options.maxGradientNorm,
  }
  const { actorM, actorV, criticM, criticV } = twin.moments
  const losses = { criticLoss: criticLoss(twin.critic), actorLoss: 0 }
  const criticGradient = [...centralDifferences(Float64Array.from(twin.critic), criticLoss)]
  adamTwin(
    { ...adam, learningRate: options.criticLearningRate },
    twin.critic,
    criticGradient,
    criticM,
    criticV,
    twin.step,
  )
  losses.actorLoss = actorLoss(twin.actor)
  const actorGradient = [...centralDifferences(Float64Array.from(twin.actor), actorLoss)]
  adamTwin({ ...adam, learningRate: options.actorLearningRate }, twin.actor, actorGradient, actorM, actorV, twin.step)

  const follow = (target: number[], source: number[], rate: number): number[] =>
    target.map((value, i) => value + rate * (source[i]! - value))
  twin.targetActor = follow(twin.targetActor, twin.actor, options.targetRate)
  twin.targetCritic = follow(twin.targetCritic, twin.critic, options.targetRate)
  twin.averaged = options.averageRate > 0 ? follow(twin.averaged, twin.actor, options.averageRate) : twin.actor
  return losses
}

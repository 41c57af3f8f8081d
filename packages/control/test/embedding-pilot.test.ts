import type { StepInfo, Transition } from '@trimtab/core'
import type { Trajectory } from '@trimtab/learn'
import { describe, expect, it } from 'vitest'
import { EmbeddingPilot, type EpisodeSummary, type Pilot, rulePilot } from '../src/index.js'

const summary = {} as EpisodeSummary
const info: StepInfo = {}

function scene() {
  const inserted: Trajectory[] = []
  const contexts: Float32Array[] = []
  const seen: Transition[] = []
  let ended = 0
  const inner: Pilot = {
    ...rulePilot({ name: 'rule', decide: (_, out) => out.fill(0.5) }),
    observe: (transition) => void seen.push(transition),
    endEpisode: () => void ended++,
  }
  const pilot = new EmbeddingPilot(
    inner,
    { setContext: (z) => void contexts.push(z) },
    {
      insertTrajectories: (trajectories) => void inserted.push(...trajectories),
      getEmbedding: () => Float32Array.of(inserted.length),
    },
  )
  const step = (reward: number): Transition => ({
    observation: Float32Array.of(1, reward),
    action: Float32Array.of(-reward),
    reward,
    nextObservation: Float32Array.of(2, reward),
    terminated: false,
  })
  return { pilot, inserted, contexts, seen, step, ended: () => ended }
}

describe('EmbeddingPilot', () => {
  it('tells the agent after each episode what was seen so far, all steps in order', () => {
    const { pilot, inserted, contexts, step } = scene()
    for (const reward of [1, 2, 3]) pilot.observe(step(reward), info)
    expect(contexts).toEqual([])
    pilot.endEpisode(summary)
    pilot.observe(step(4), info)
    pilot.endEpisode(summary)
    expect(contexts).toEqual([Float32Array.of(1), Float32Array.of(2)])
    expect(inserted[0]).toMatchObject({
      observations: Float32Array.of(1, 1, 1, 2, 1, 3),
      actions: Float32Array.of(-1, -2, -3),
      rewards: Float32Array.of(1, 2, 3),
    })
    expect(inserted[1]!.rewards).toEqual(Float32Array.of(4))
  })

  it('changes nothing for the pilot inside', () => {
    const { pilot, seen, step, ended } = scene()
    const out = new Float32Array(1)
    expect(pilot.decide(Float32Array.of(0, 0), out)).toBe('rule')
    expect(out[0]).toBe(0.5)
    pilot.observe(step(1), info)
    pilot.endEpisode(summary)
    expect([seen.length, ended(), pilot.stage, pilot.rule.name]).toEqual([1, 1, 'offline', 'rule'])
  })

  it('leaves the context as it is after an episode without a measured step', () => {
    const { pilot, inserted, contexts } = scene()
    pilot.endEpisode(summary)
    expect([inserted, contexts]).toEqual([[], []])
  })
})

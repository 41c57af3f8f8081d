import { describe, expect, it } from 'vitest'
import { createCompare } from '../src/commands/compare.js'
import type { runComparison } from '../src/workers.js'
import { createFakeHost } from './fake-host.js'

type Comparison = Awaited<ReturnType<typeof runComparison>>

/** A comparison of two rules and the learner beside the first, by their rewards. */
const earning = (first: number, second: number, learner: number): Comparison => {
  const one = (name: string, label: string, kind: 'rule' | 'learner', mean: number) => ({
    ...{ name, label, kind, reward: { mean, deviation: 0 } },
  })
  const labels = { task: 'A task', spec: 'application', reward: 'reward' }
  return {
    settings: { labels, pairs: [1], seeds: [1], episodes: 5, world: 'simulation' },
    controllers: [
      one('a', 'A', 'rule', first),
      one('b', 'B', 'rule', second),
      one('trimtab', 'Trimtab', 'learner', learner),
    ],
    findings: [],
  } as unknown as Comparison
}

async function run(found: Comparison): Promise<{ code: number; last: string }> {
  const host = createFakeHost()
  const code = await createCompare(async () => found).execute(['cpu-frequency'], host)
  return { code, last: host.out().trimEnd().split('\n').at(-1)! }
}

describe('trimtab compare', () => {
  it.each([
    ['fails, with what it missed', earning(7, 6, 4.2), 1, '✗ Trimtab earns less than A after 5 learning episodes'],
    ['names the rule that is better than both', earning(7, 8, 4.2), 1, /; B earns more than either$/],
    ['passes', earning(-7, -8, -7), 0, '✓ Trimtab earns no less than A after 5 learning episodes'],
  ])('%s', async (_, found, code, text) => {
    const { last, ...answer } = await run(found)
    expect(answer).toEqual({ code })
    expect(last).toMatch(text)
  })
})

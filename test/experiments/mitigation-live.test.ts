// What the experiment makes of a live run, by made-up runs; the run itself needs a quiet machine: `npm run experiment -- mitigation-live`.
import { createCore } from '@trimtab/core'
import { expect, it } from 'vitest'
import { Judge } from './mitigation-live/judge.mjs'
import { locate } from './mitigation-live/localisation.mjs'
import { drawPlan, KINDS } from './mitigation-live/plan.mjs'
import { breakingOf, paired } from './mitigation-live/report.mjs'

const period = (latenciesMs: number[], more = {}) => ({
  request: 'buy',
  latenciesMs,
  lagsMs: [1],
  failures: 0,
  ...more,
})

it('draws each kind once, one after the other, the same for one seed', async () => {
  const core = await createCore()
  const scale = { kinds: KINDS, durationSeconds: 9, gapSeconds: 8, leadSeconds: 2 }
  const plan = drawPlan(core, { ...scale, seed: 3 })
  expect(plan.struck.map(({ kind }: { kind: string }) => kind).sort()).toEqual([...KINDS].sort())
  expect(plan.struck.map(({ startSeconds }: { startSeconds: number }) => startSeconds)).toEqual(
    KINDS.map((_, i) => 2 + 17 * i),
  )
  expect(plan.seconds).toBe(2 + 17 * KINDS.length)
  expect(drawPlan(core, { ...scale, seed: 3 })).toEqual(plan)
  expect(drawPlan(core, { ...scale, seed: 4 })).not.toEqual(plan)
})

it('counts late requests, broken seconds, and when an anomaly was over for customers', () => {
  const judge = new Judge(new Map([['buy', 100]]))
  judge.take([period([10, 20])])
  judge.take([period([10, 150])]) // struck from here on, for 2 s
  judge.take([period([120], { failures: 1 })])
  judge.take([period([110])]) // its aftermath
  judge.take([period([10], { lagsMs: [40] })])
  judge.take([period([])]) // nobody was answered: nothing is known to be broken
  const record = judge.record([{ startSeconds: 1, durationSeconds: 2, gapSeconds: 2 }])
  expect(record).toMatchObject({ requests: 7, late: 3 / 7, failed: 1 / 7, violated: 3 / 6, flagged: 1 / 6 })
  expect(record.anomalies).toEqual([{ brokenSeconds: 3, lastSecond: 3 }])
  expect(record.calmViolated).toBe(0) // seconds 0, 4 and 5
})

it('holds the first that is named against what was struck: the edge for a network, else the service', () => {
  const culprit = (service: string, resource: string, caller?: string) => ({
    ...{ service, resource, addedShare: 1 },
    ...(caller && { edge: { caller, callee: service } }),
  })
  const struck = [
    { kind: 'cpu', service: 'stock', startSeconds: 0, durationSeconds: 9 },
    { kind: 'network-delay', service: 'price', startSeconds: 20, durationSeconds: 9 },
    { kind: 'disk-io', service: 'ledger', startSeconds: 40, durationSeconds: 9 },
  ]
  const ticks = [
    { atSecond: 2, culprits: [] },
    { atSecond: 4, culprits: [culprit('stock', 'cpu'), culprit('cache', 'network', 'stock')] },
    { atSecond: 24, culprits: [culprit('price', 'network')] }, // the service, not the way to it
    { atSecond: 60, culprits: [culprit('ledger', 'diskIo')] }, // long over
  ]
  expect(locate({ struck, ticks })).toMatchObject([
    { isNamed: true, afterSeconds: 4, isService: true, isPlace: true, isResource: true },
    { isNamed: true, afterSeconds: 4, isService: true, isPlace: false, isResource: true },
    { isNamed: false },
  ])
})

it('pairs arms round by round, and judges by anomalies that hurt where nobody acts', () => {
  const block = (arm: string, round: number, late: number, brokenSeconds: number) => ({
    ...{ arm, round, late, anomalies: [{ brokenSeconds, lastSecond: brokenSeconds }] },
  })
  const blocks = [
    block('none', 0, 0.3, 5),
    block('firm', 0, 0.1, 0),
    block('none', 1, 0.2, 0),
    block('firm', 1, 0.25, 1),
  ]
  expect(paired(blocks, 'firm', 'none').map((points) => Math.round(points))).toEqual([-20, 5])
  const isBreaking = breakingOf(blocks)
  expect([isBreaking(0, 0), isBreaking(1, 0)]).toEqual([true, false])
})

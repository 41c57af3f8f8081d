import { createCore, Random } from '@trimtab/core'
import { describe, expect, it } from 'vitest'
import type { TeamMember } from '../../src/index.js'
import { K, Team, VARIABLES } from './team.js'

const core = await createCore()

/** [agents, K] in 0 … 1. */
function draw(random: Random, agents: number): number[][] {
  return Array.from({ length: agents }, () => Array.from({ length: K }, () => random.uniform()))
}

/** Sums or means, then deviations of `rows`, each by its definition. */
function described(rows: readonly (readonly number[])[]): number[] {
  const columns = VARIABLES.map(({ isSum }, k) => {
    const column = rows.map((row) => row[k]! * (isSum ? rows.length : 1))
    const mean = column.reduce((sum, x) => sum + x, 0) / Math.max(1, rows.length)
    return {
      mean,
      deviation: Math.sqrt(column.reduce((sum, x) => sum + (x - mean) ** 2, 0) / Math.max(1, rows.length)),
    }
  })
  return [...columns.map(({ mean }) => mean), ...columns.map(({ deviation }) => deviation)]
}

function globalsOf(member: TeamMember): number[][] {
  const out = new Float32Array(member.agents.length * 2 * K)
  member.globals(out)
  return member.agents.map((_, row) => Array.from(out.subarray(row * 2 * K, (row + 1) * 2 * K)))
}

const close = (rows: readonly (readonly number[])[]) => rows.map((row) => row.map((x) => expect.closeTo(x, 4)))

describe('the global state of an agent', () => {
  it('is what all others come to, wherever they run, as counted one by one', async () => {
    const random = new Random(core, 1)
    const team = new Team()
    const sizes = [5, 1, 4]
    const members = await Promise.all(sizes.map((agents, i) => team.joined(`host-${i}`, agents)))
    const values = sizes.map((agents) => draw(random, agents))
    for (const _ of [1, 2]) for (const [i, member] of members.entries()) member.step(values[i]!.flat())
    const all = values.flat()
    for (const [i, member] of members.entries()) {
      const expected = values[i]!.map((row) => described(all.filter((other) => other !== row)))
      expect(globalsOf(member)).toEqual(close(expected))
    }
  })

  it('is 0 for who is alone', async () => {
    const team = new Team()
    const member = await team.joined('a', 1)
    member.step(draw(new Random(core, 1), 1).flat())
    expect(globalsOf(member)).toEqual([Array(2 * K).fill(0)])
  })

  it('leaves out an agent that reports no number, who still sees the others', async () => {
    const team = new Team()
    const member = await team.joined('a', 3)
    const values = draw(new Random(core, 1), 3)
    member.step(values.flatMap((row, i) => (i === 1 ? row.with(2, Number.NaN) : row)))
    const [first, , third] = values
    expect(member.total.agents).toBe(2)
    expect(globalsOf(member)).toEqual(close([[third!], [first!, third!], [first!]].map(described)))
  })

  it('comes from the same bits in every member, whoever joined first', async () => {
    const random = new Random(core, 2)
    const values = [draw(random, 3), draw(random, 3), draw(random, 3)]
    const totals = []
    for (const order of [
      [0, 1, 2],
      [2, 0, 1],
      [1, 2, 0],
    ]) {
      const team = new Team()
      const members = new Map<number, TeamMember>()
      for (const i of order) members.set(i, await team.joined(`host-${i}`, 3))
      for (const _ of [1, 2]) for (const [i, member] of members) member.step(values[i]!.flat())
      for (const member of members.values()) totals.push(member.total.numbers)
    }
    for (const total of totals) expect(total).toEqual(totals[0])
  })
})

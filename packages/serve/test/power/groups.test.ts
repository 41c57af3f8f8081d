import { describe, expect, it } from 'vitest'
import { searchGroups } from '../../src/index.js'

const GB = 1e9
const models = (sizes: readonly number[]) => sizes.map((size, i) => ({ name: `m${i}`, memoryBytes: size * GB }))
const search = (sizes: readonly number[], more: Partial<Parameters<typeof searchGroups>[0]> = {}) => {
  const list = models(sizes)
  return searchGroups({
    devices: 4,
    deviceMemoryBytes: 10 * GB,
    models: list,
    stageBytes: (model, size) => new Array<number>(size).fill(list[model]!.memoryBytes / size),
    evaluate: () => ({ score: 0, tails: sizes.map(() => 1) }),
    ...more,
  })
}

describe('models → device groups, by simulator-guided greedy search', () => {
  it('follows the simulation: models that disturb each other are kept apart', () => {
    const evaluate = ({ groups }: { groups: readonly (readonly number[])[] }) => {
      const clashes = groups.filter((group) => group.includes(0) && group.includes(1)).length
      return { score: -clashes, tails: [1, 1, 1] }
    }
    const [best] = search([1, 1, 1], { evaluate, groupSizes: [2] })
    expect(best!.groups.some((group) => group.includes(0) && group.includes(1))).toBe(false)
    expect(best!.groups.flat().toSorted()).toEqual([0, 1, 2])
  })

  it('copies the model with the longest tail while that helps and memory lasts', () => {
    const evaluate = ({ groups }: { groups: readonly (readonly number[])[] }) => {
      const copies = groups.flat().filter((model) => model === 1).length
      return { score: copies, tails: [1, 5 / copies] }
    }
    const [best] = search([2, 6], { evaluate, groupSizes: [1], replicas: 9 })
    expect(best!.groups.flat().filter((model) => model === 1)).toHaveLength(4)
    expect(best!.groups.flat().filter((model) => model === 0)).toHaveLength(1)
  })

  it('uses larger groups for models that no single device holds', () => {
    expect(search([15, 3]).map(({ groupSize }) => groupSize)).toEqual([2, 4])
  })

  it('never exceeds the memory of a device, and says which model misses how much', () => {
    expect(() => search([15, 15, 15], { groupSizes: [2] })).toThrow(
      /groups of 2, model m2 \(15.00 GB\) misses 5.00 GB on a device/,
    )
    expect(() => search([50])).toThrow(/no division of 4 devices holds all models: .* m0 \(50.00 GB\) misses 2.50 GB/)
  })

  it('refuses group sizes that do not divide the cluster', () => {
    expect(() => search([1], { groupSizes: [3] })).toThrow(/must divide 4 devices .* sizes 3/)
  })
})

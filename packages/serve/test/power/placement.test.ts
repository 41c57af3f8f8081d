import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ModelPartition, placePartitions } from '../../src/index.js'

const GB = 1e9
const partition = (model: string, score: number, gigabytes = 1, stage = 0, latencyMs = 1): ModelPartition => {
  return { model, stage, begin: 0, end: 1, score, latencyMs, memoryBytes: gigabytes * GB }
}
const devices = (count: number, gigabytes = 16) =>
  Array.from({ length: count }, (_, index) => ({ name: `gpu${index}`, memoryBytes: gigabytes * GB }))

describe('placement (Algorithm 6.2)', () => {
  it('takes the most similar device, not the least (the printed comparison never chooses)', () => {
    const partitions = [partition('a', 0.1), partition('b', 1.9), partition('c', 0.3), partition('d', 1.8)]
    expect(placePartitions(devices(2), partitions, { maximumDevicesPerModel: 1 })).toEqual([0, 1, 0, 1])
  })

  it('compares with the weighted average of what lies on a device', () => {
    const heavy = [partition('a', 0, 1, 0, 9), partition('a', 1, 1, 0, 1), partition('b', 2), partition('c', 1)]
    // Device 0 averages 0.1, device 1 is at 2: the 1 of model c is nearer to 0.1 by 0.9 against 1.
    expect(placePartitions(devices(2), heavy, { maximumDevicesPerModel: 1 })[3]).toBe(0)
  })

  it('opens an empty device when no used one is near, and shares one when it is', () => {
    const partitions = [partition('a', 1), partition('b', 1.2), partition('c', 1.6)]
    expect(placePartitions(devices(3), partitions, { maximumDevicesPerModel: 1 })).toEqual([0, 0, 1])
    expect(placePartitions(devices(3), partitions, { maximumDevicesPerModel: 1, openingDistance: 0 })).toEqual([
      0, 1, 2,
    ])
  })

  it('counts devices per model, not partitions (the print counts partitions)', () => {
    const partitions = [0, 1, 2, 3].map((stage) => partition('a', 1, 1, stage))
    expect(placePartitions(devices(4), partitions, { maximumDevicesPerModel: 1 })).toEqual([0, 0, 0, 0])
  })

  it('passes over a device with too much load while another has room', () => {
    const partitions = [partition('a', 1), partition('b', 1), partition('c', 1)]
    const options = { maximumDevicesPerModel: 1, loads: [0.4, 0.3, 0.3] }
    expect(placePartitions(devices(2), partitions, options)).toEqual([0, 1, 1])
    expect(placePartitions(devices(1), partitions, options)).toEqual([0, 0, 0])
  })

  it('names the model that does not fit and the memory that is missing', () => {
    const tooLarge = [partition('bert', 1, 2), partition('opt', 1, 10, 0), partition('opt', 1, 12, 1)]
    expect(() => placePartitions(devices(2, 10), tooLarge, { maximumDevicesPerModel: 2 })).toThrow(
      /model opt needs 22.00 GB; on at most 2 of 2 devices it finds 20.00 GB: 2.00 GB are missing/,
    )
    const twice = [partition('opt', 1, 8, 0), partition('opt', 1, 8, 1)]
    expect(() => placePartitions(devices(4, 10), twice, { maximumDevicesPerModel: 1 })).toThrow(
      /opt needs 16.00 GB; on at most 1 of 4 devices it finds 10.00 GB: 6.00 GB are missing/,
    )
    const coarse = [partition('a', 1, 6, 0), partition('a', 1, 6, 1), partition('a', 1, 6, 2)]
    expect(() => placePartitions(devices(2, 10), coarse, { maximumDevicesPerModel: 2 })).toThrow(
      /not in pieces of 6.00 GB/,
    )
  })

  it('refuses bad input before it places anything', () => {
    expect(() => placePartitions([], [partition('a', 1)], { maximumDevicesPerModel: 1 })).toThrow(/at least one device/)
    expect(() => placePartitions(devices(1), [], { maximumDevicesPerModel: 0 })).toThrow(/count > 0, got 0/)
    expect(() => placePartitions(devices(1), [partition('a', NaN)], { maximumDevicesPerModel: 1 })).toThrow(
      /partition 0 of a/,
    )
    const loads = { maximumDevicesPerModel: 1, loads: [1] }
    expect(() => placePartitions(devices(1), [], loads)).toThrow(/each of 0 partitions, got 1/)
  })

  it('never exceeds memory or CT, whatever comes, and packs small models wherever memory allows', () => {
    const size = fc.integer({ min: 1, max: 8 })
    const model = fc.array(fc.record({ size, score: fc.double({ min: 0, max: 2, noNaN: true }) }), {
      minLength: 1,
      maxLength: 4,
    })
    fc.assert(
      fc.property(
        fc.array(model, { maxLength: 8 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 4 }),
        (models, count, ct) => {
          const partitions = models.flatMap((members, index) =>
            members.map((m, stage) => partition(`m${index}`, m.score, m.size, stage)),
          )
          let plan: readonly number[]
          try {
            plan = placePartitions(devices(count), partitions, { maximumDevicesPerModel: ct })
          } catch (error) {
            expect(error).toMatchObject({
              code: 'placement_infeasible',
              message: expect.stringMatching(/^model m\d needs/),
            })
            const all = partitions.reduce((total, { memoryBytes }) => total + memoryBytes, 0)
            // 8 GB pieces leave at most 8 GB of a 16 GB device unused, so half of the memory always fits when CT does not bind.
            if (ct >= count) expect(all).toBeGreaterThan(count * 8 * GB)
            return
          }
          for (let device = 0; device < count; device++) {
            const here = partitions.filter((_, index) => plan[index] === device)
            expect(here.reduce((total, { memoryBytes }) => total + memoryBytes, 0)).toBeLessThanOrEqual(16 * GB)
          }
          for (let index = 0; index < models.length; index++) {
            const used = new Set(plan.filter((_, p) => partitions[p]!.model === `m${index}`))
            expect(used.size).toBeLessThanOrEqual(ct)
          }
        },
      ),
    )
  })
})

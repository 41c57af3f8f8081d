import { describe, expect, it } from 'vitest'
import { fitToNode, type Limits, type Room } from '../src/index.js'

const inventory = { threads: [0, 1, 2, 3], memoryBytes: 1000, disks: [], networks: [] }
const room = (...others: Limits[]): Room => ({ inventory, others, least: { cpuCores: 0.1, memoryBytes: 10 } })
const none = Number.POSITIVE_INFINITY

describe('what is held against the node', () => {
  it.each([
    ['fits', { cpuCores: 2, memoryBytes: 400 }, [{ cpuCores: 2 }], { cpuCores: 2, memoryBytes: 400 }, 'none'],
    ['is more than all threads', { cpuCores: 5 }, [], { cpuCores: 4 }, 'out'],
    ['is more than others leave', { cpuCores: 2 }, [{ cpuCores: 1.5 }, { cpuCores: 1 }], { cpuCores: 1.5 }, 'out'],
    ['is memory that others hold', { memoryBytes: 600 }, [{ memoryBytes: 500 }], { memoryBytes: 500 }, 'out'],
    ['finds a full node', { cpuCores: 1 }, [{ cpuCores: 4 }], { cpuCores: 0.1 }, 'out'],
    ['is too little', { cpuCores: 0.01 }, [], { cpuCores: 0.1 }, 'in'],
    [
      'is too little and too much',
      { cpuCores: 0.01, memoryBytes: 2000 },
      [],
      { cpuCores: 0.1, memoryBytes: 1000 },
      'out',
    ],
    [
      'takes a limit away',
      { cpuCores: none, cpuShares: 7 },
      [{ cpuCores: none }],
      { cpuCores: none, cpuShares: 7 },
      'none',
    ],
  ] as const)('%s', (_, wanted, others, limits, scale) => {
    const fitted = fitToNode(wanted, room(...others))
    expect(fitted).toMatchObject({ limits, scale })
    expect(fitted.reasons.length).toBe(
      Object.keys(wanted).filter((key) => fitted.limits[key as 'cpuCores'] !== wanted[key as never]).length,
    )
  })
})

import type { AdaptationRecord } from '@trimtab/studies'
import { principalPlane } from '@trimtab/studies'
import { describe, expect, it } from 'vitest'
import { parseRecords, toLine } from '../src/adaptation/records.js'
import { renderAdaptationReport } from '../src/adaptation/report.js'
import { UsageError } from '../src/options.js'

describe('the plane of embeddings', () => {
  it('finds the two directions that points were spread along', () => {
    const rows = Array.from({ length: 25 }, (_, i) => {
      const [a, b] = [(i % 5) - 2, Math.floor(i / 5) - 2]
      return [0.6 * 3 * a + 1, 0.8 * 3 * a - 4, b, 7] // spread 3 along (.6, .8), 1 along the third
    })
    const { points, shares } = principalPlane(rows)
    expect(shares[0] + shares[1]).toBeCloseTo(1, 9)
    expect(shares[0] / shares[1]).toBeCloseTo(9, 6)
    for (const [i, [x, y]] of points.entries()) {
      expect(Math.abs(x)).toBeCloseTo(3 * Math.abs((i % 5) - 2), 6)
      expect(Math.abs(y)).toBeCloseTo(Math.abs(Math.floor(i / 5) - 2), 6)
    }
  })

  it('puts equal embeddings on one point', () => {
    const { points, shares } = principalPlane([
      [1, 2],
      [1, 2],
      [1, 2],
    ])
    expect(points).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ])
    expect(shares).toEqual([0, 0])
  })
})

describe('records', () => {
  const records: AdaptationRecord[] = [
    { event: 'round', round: 1, reward: 0.5, episodes: 3, updates: 10, skipped: 0 },
    { event: 'round', round: 2, reward: 0.7, episodes: 3, updates: 20, skipped: 0 },
    ...[0, 1, 2].flatMap((i): AdaptationRecord[] => [
      { event: 'embedding', pair: `<app-${i}>`, z: [i, 2 - i, 1] },
      { event: 'evaluation', pair: `<app-${i}>`, seed: 1, method: 'pretrained', episode: 0, reward: i },
      { event: 'evaluation', pair: `<app-${i}>`, seed: 1, method: 'pretrained', episode: 1, reward: i + 1 },
    ]),
  ]

  it('come back from a file as they were written, other events and empty lines aside', () => {
    const text = `${records.map(toLine).join('')}\n{"event":"start","task":"x"}\n`
    expect(parseRecords(text, 'run.jsonl')).toEqual(records)
  })

  it.each(['not json', '3', '{"round":1}', 'null'])('are refused with the number of the line: %s', (line) => {
    expect(() => parseRecords(`{"event":"start"}\n${line}`, 'run.jsonl')).toThrow(UsageError)
    expect(() => parseRecords(`{"event":"start"}\n${line}`, 'run.jsonl')).toThrow('run.jsonl, line 2')
  })

  it('become a page with curve, spread and map, whose script element holds them whole', () => {
    const page = renderAdaptationReport('Pretraining', [['task', '<b>']], records)
    const inside = /<script type="application\/json" id="trimtab-adaptation">(.*?)<\/script>/s.exec(page)?.[1]
    expect(JSON.parse(inside!)).toEqual(records)
    expect(page.match(/<circle/g)).toHaveLength(3)
    expect(page).toContain('class="band m0"')
    expect(page).not.toContain('<app-')
    expect(page).not.toContain('NaN')
  })

  it('make no empty charts where a kind is absent', () => {
    expect(renderAdaptationReport('Adaptation', [], records.slice(0, 1))).not.toMatch(/<svg|NaN/)
  })
})

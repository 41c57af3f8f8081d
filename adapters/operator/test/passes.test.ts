import { renderMetrics } from '@trimtab/prometheus'
import { describe, expect, it } from 'vitest'
import { readExposition } from '../../prometheus/test/exposition.js'
import { OperatorMetrics, runPasses } from '../src/index.js'

describe('passes of a part', () => {
  it('go on after one that failed, are counted and told, and end with the signal', async () => {
    const metrics = new OperatorMetrics({ values: () => [].values() })
    const told: unknown[] = []
    const ignore = () => {}
    const logger = {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: (message: string, fields?: object) => told.push([message, fields]),
    }
    const ending = new AbortController()
    let passes = 0
    const step = async (): Promise<void> => {
      if (++passes === 1) throw new Error('no route to host')
      if (passes === 4) ending.abort()
    }
    await runPasses({ metrics, logger }, 'updater', step, 1, ending.signal)
    expect(told).toEqual([['a pass failed', { part: 'updater', error: 'no route to host' }]])
    const counted = readExposition(renderMetrics(metrics.all)).get('trimtab_operator_passes_total')!.samples
    expect(counted.get('trimtab_operator_passes_total{part="updater",outcome="done"}')).toBe(2) // the last was cut off
    expect(counted.get('trimtab_operator_passes_total{part="updater",outcome="failed"}')).toBe(1)
  })
})

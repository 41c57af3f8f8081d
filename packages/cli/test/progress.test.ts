import { describe, expect, it } from 'vitest'
import { createProgress, formatDuration } from '../src/progress.js'
import { createFakeHost } from './fake-host.js'

describe('createProgress', () => {
  it('redraws one line on a terminal and clears it at the end', () => {
    const host = createFakeHost({ isTTY: true })
    const progress = createProgress(host, 'runs')
    host.advance(10_000)
    progress.update({ done: 5, total: 20, label: 'app 2/5' })
    expect(host.err()).toContain('25 % · 5/20 runs · 0.5 runs/s · 30 s left · app 2/5')
    expect(host.err()).not.toContain('\n')
    progress.finish()
    expect(host.err().endsWith('\r\u001b[2K')).toBe(true)
  })

  it('writes plain lines, and few, when nobody watches', () => {
    const host = createFakeHost()
    const progress = createProgress(host, 'runs')
    for (let done = 1; done <= 40; done++) {
      host.advance(1000)
      progress.update({ done, total: 40, label: 'x' })
    }
    progress.finish()
    const lines = host.err().trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(6)
    expect(lines.at(-1)).toBe('100 % · 40/40 runs · 1.0 runs/s · x')
    expect(host.err()).not.toContain('\u001b')
  })

  it('never writes a line wider than the terminal', () => {
    const host = createFakeHost({ isTTY: true })
    createProgress(host, 'runs').update({ done: 1, total: 2, label: 'y'.repeat(500) })
    expect(host.err().replace('\r\u001b[2K', '').length).toBeLessThan(100)
  })

  it('promises no time before anything is done', () => {
    const host = createFakeHost()
    createProgress(host, 'runs').update({ done: 0, total: 20, label: 'tuning' })
    expect(host.err()).not.toContain('left')
  })
})

describe('formatDuration', () => {
  it.each([
    [0.4, '0 s'],
    [59, '59 s'],
    [65, '1 min 05 s'],
    [4200, '1 h 10 min'],
  ])('writes %d seconds as %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text)
  })
})

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { PAGES } from '../../playground/pages.js'
import { timeAxis, WHOLE } from '../../playground/src/run/axis.js'

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

describe('what a page says was measured', () => {
  it.each(PAGES)('on $name has its figures from the reports that it names', ({ measured, results }) => {
    const reports = results.map((path) => readFileSync(at(path), 'utf8')).join()
    const figures = measured.match(/\d+\.\d+/g)!
    expect(figures.length).toBeGreaterThan(0)
    for (const figure of figures)
      expect(reports, figure).toMatch(new RegExp(`[^\\d.]${figure.replace('.', '\\.')}(?!\\d)`))
  })
})

describe('ticks of an axis', () => {
  it('are whole in seconds, minutes or hours, of any unit', () => {
    expect(timeAxis().steps.slice(0, 8).map(timeAxis().label)).toEqual([
      '1 s',
      '2 s',
      '5 s',
      '10 s',
      '20 s',
      '1 min',
      '2 min',
      '5 min',
    ])
    const minutes = timeAxis(60)
    expect([0, 20, 60, 360, 1440].map(minutes.label)).toEqual(['0', '20 min', '1 h', '6 h', '24 h'])
    const ofTenSeconds = timeAxis(10)
    expect(ofTenSeconds.steps.slice(0, 4)).toEqual([1, 2, 6, 12])
    expect(ofTenSeconds.label(12)).toBe('2 min')
  })

  it('are days and episodes, not halves of them', () => {
    expect(WHOLE.steps.every(Number.isInteger)).toBe(true)
  })
})

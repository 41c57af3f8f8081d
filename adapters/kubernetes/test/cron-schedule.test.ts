import { describe, expect, it } from 'vitest'
import { CronSchedule } from '../src/index.js'

const at = (text: string): number => Date.parse(`2026-01-${text}Z`) // the 5th is a Monday

describe('a cron schedule', () => {
  it.each([
    ['* * * * *', '05T00:00', true],
    ['30 8 * * *', '05T08:30:59', true],
    ['30 8 * * *', '05T08:31', false],
    ['0 8-18/2 * * 1-5', '05T18:00', true],
    ['0 8-18/2 * * 1-5', '05T17:00', false],
    ['0 8-18/2 * * 1-5', '04T18:00', false],
    ['*/20 * * * *', '05T03:40', true],
    ['5/20 * * * *', '05T03:45', true],
    ['0 0 1,15 * *', '15T00:00', true],
    ['0 0 * feb *', '15T00:00', false],
    ['0 0 * JAN mon', '05T00:00', true],
    ['0 0 * * 7', '04T00:00', true],
    ['0 0 13 * 5', '13T00:00', true], // a Tuesday: the 13th or a Friday
    ['0 0 13 * 5', '09T00:00', true], // a Friday
    ['0 0 13 * 5', '12T00:00', false],
  ])('%s at %s: %s', (line, time, isNamed) => {
    expect(new CronSchedule(line).names(at(time))).toBe(isNamed)
  })

  it('holds for so many minutes from each start on, over midnight too', () => {
    const nights = new CronSchedule('0 22 * * *')
    const holds = (time: string): boolean => nights.holds(at(time), 8 * 60)
    expect(['05T21:59', '05T22:00', '06T05:59', '06T06:00'].map(holds)).toEqual([false, true, true, false])
  })

  it.each([
    '',
    '* * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * foo *',
    '5-1 * * * *',
    '*/0 * * * *',
    '1-2-3 * * * *',
    'a * * * *',
  ])('refuses "%s"', (line) => {
    expect(() => new CronSchedule(line)).toThrow(expect.objectContaining({ code: 'schedule_invalid' }))
  })
})

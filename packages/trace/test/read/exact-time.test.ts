import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExactTime, MICROSECONDS, NANOSECONDS } from '../../src/read/exact-time.js'

const UNITS = [NANOSECONDS, MICROSECONDS]

function read(text: string, unit: number): bigint | undefined {
  const time = new ExactTime()
  const bytes = new TextEncoder().encode(`[${text}]`)
  time.read(bytes, 1, bytes.length - 1, unit)
  return Number.isNaN(time.us) ? undefined : BigInt(time.us) * 1000n + BigInt(time.ns)
}

describe('a written time', () => {
  it('is exact in every unit up to the largest safe number of microseconds', () => {
    const most = BigInt(Number.MAX_SAFE_INTEGER) * 1000n
    fc.assert(
      fc.property(fc.bigInt(0n, most), fc.constantFrom(...UNITS), fc.nat(3), (ns, unit, zeros) => {
        const size = 10n ** BigInt(unit)
        const whole = (ns / size).toString().padStart(zeros, '0')
        expect(read(whole, unit)).toBe((ns / size) * size)
        const fraction = (ns % size).toString().padStart(unit, '0')
        if (unit > 0) {
          expect(read(`${whole}.${fraction}`, unit)).toBe(ns)
          expect(read(`-${whole}.${fraction}000`, unit)).toBe(-ns)
          expect(read(`${whole}${fraction}e-${unit}`, unit)).toBe(ns)
        }
      }),
    )
  })

  it('is rounded to the nearest nanosecond below that', () => {
    expect(read('0.4', NANOSECONDS)).toBe(0n)
    expect(read('0.5', NANOSECONDS)).toBe(1n)
    expect(read('1.2345', MICROSECONDS)).toBe(1235n)
    expect(read('5e-400', MICROSECONDS)).toBe(0n)
  })

  it('may be written with an exponent', () => {
    expect(read('1.5E+3', MICROSECONDS)).toBe(1_500_000n)
    expect(read('12e2', NANOSECONDS)).toBe(1200n)
    expect(read('0e9999', NANOSECONDS)).toBe(0n)
    expect(read('.5', MICROSECONDS)).toBe(500n)
  })

  it('is none where it is not a number, or beyond 64 bits of nanoseconds', () => {
    const bad = ['', '-', '.', 'e5', '1e', '0x10', '1 2', 'NaN', 'Infinity', '1,5', '1e400', '9223372036854775808', '٣']
    for (const text of [...bad, '9'.repeat(65), `1${'0'.repeat(40)}`])
      expect([text, read(text, NANOSECONDS)]).toEqual([text, undefined])
    expect(read('9223372036854776', MICROSECONDS)).toBeUndefined()
  })
})

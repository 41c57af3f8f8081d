import { describe, expect, it } from 'vitest'
import { crc32 } from '../src/crc32.js'

describe('crc32', () => {
  it.each([
    ['', 0],
    ['a', 0xe8b7be43],
    ['123456789', 0xcbf43926], // the check value of CRC-32/ISO-HDLC
  ])('of %j is the published value', (text, expected) => {
    expect(crc32(new TextEncoder().encode(text))).toBe(expected)
  })

  it('covers just the range it was asked for', () => {
    expect(crc32(new TextEncoder().encode('xx123456789yy'), 2, 11)).toBe(0xcbf43926)
  })
})

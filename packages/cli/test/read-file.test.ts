import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type Reading, readAll, readText } from '../src/read-file.js'

interface Source extends Reading {
  /** Pieces taken, and whether the source was told that nobody wants more. */
  readonly told: { pieces: number; isClosed: boolean }
}

/** Reads `bytes` in small pieces, over and over when `isEndless`. */
function sourceOf(bytes: Uint8Array | string, limits: Partial<Reading> = {}, isEndless = false): Source {
  const all = Buffer.from(bytes as string)
  const told = { pieces: 0, isClosed: false }
  async function* readBytes() {
    try {
      do {
        for (let at = 0; at < all.length; at += 100, told.pieces++) yield all.subarray(at, at + 100)
      } while (isEndless)
    } finally {
      told.isClosed = true
    }
  }
  return { readBytes, maxBytes: 10_000, maxLines: 100, told, ...limits }
}

describe('a file that is read whole', () => {
  it('comes as text, packed or not, cut anywhere', async () => {
    const text = `${'grün\n'.repeat(99)}end`
    expect(await readText('f', sourceOf(text))).toBe(text)
    expect(await readText('f', sourceOf(gzipSync(text)))).toBe(text)
    expect(await readText('f', sourceOf(''))).toBe('')
    expect(await readText('f', sourceOf('a'))).toBe('a')
    expect(Buffer.from(await readAll('f', sourceOf(text))).toString()).toBe(text)
  })

  it.each([
    ['as it is', 'x'.repeat(50)],
    ['packed, as it unpacks', gzipSync('x'.repeat(1e7))],
  ])('is refused beyond the bytes that it may have, %s, and no more of it is read', async (_, bytes) => {
    const source = sourceOf(bytes, {}, true)
    await expect(readText('f', source, '--load f')).rejects.toThrow(
      expect.objectContaining({
        code: 'usage',
        message: '--load f holds more than 9.8KiB: raise --max-bytes, or give less of it',
      }),
    )
    expect(source.told.pieces).toBeLessThan(500)
    await expect.poll(() => source.told.isClosed).toBe(true)
  })

  it('is refused beyond the lines that it may have', async () => {
    const source = sourceOf('\n', {}, true)
    await expect(readText('f', source)).rejects.toThrow('f holds more than 100 lines: raise --max-lines')
  })

  it('may have exactly what it may have', async () => {
    expect(await readText('f', sourceOf('x'.repeat(1000), { maxBytes: 1000 }))).toHaveLength(1000)
    expect(await readText('f', sourceOf('\n'.repeat(100)))).toHaveLength(100)
    await expect(readAll('f', sourceOf('x'.repeat(1001), { maxBytes: 1000 }))).rejects.toThrow('1000B')
  })

  it('is named when packed bytes are damaged', async () => {
    const packed = gzipSync('a text that is long enough')
    for (const bytes of [packed.subarray(0, 20), Buffer.concat([packed.subarray(0, 12), Buffer.alloc(20, 255)])])
      await expect(readText('f', sourceOf(bytes))).rejects.toThrow(/^f cannot be read: /)
  })
})

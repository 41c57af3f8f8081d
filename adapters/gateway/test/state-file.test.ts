import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readState } from '../src/index.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trimtab-gateway-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('a state file', () => {
  it('gives back what is there, and nothing where there is none', async () => {
    const path = join(folder, 'state')
    expect(await readState(path)).toBeUndefined()
    writeFileSync(path, Uint8Array.of(4))
    expect([...(await readState(path))!]).toEqual([4])
  })

  it('that cannot be read is named', async () => {
    await expect(readState(folder)).rejects.toThrow(
      expect.objectContaining({ code: 'state_file_failed', message: expect.stringContaining(folder) }),
    )
  })

  it('that is larger than any state, or that never ends, is refused unread', async () => {
    const path = join(folder, 'large')
    const file = openSync(path, 'w')
    ftruncateSync(file, 2 ** 33) // sparse: takes no room on the disk
    closeSync(file)
    const before = process.memoryUsage().rss
    await expect(readState(path)).rejects.toThrow(/large cannot be read: it holds 8589934592 bytes, a state 67108864/)
    await expect(readState('/dev/zero')).rejects.toThrow(/no regular file/)
    expect(process.memoryUsage().rss - before).toBeLessThan(2 ** 26)
  })
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
})

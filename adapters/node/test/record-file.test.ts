import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { columns, numbered } from '../../../test/numbered-steps.js'
import { FileTrajectoryStore } from '../src/index.js'

// A disk that is full after some bytes: the write that hits the end is cut short, the next one fails.
const disk = vi.hoisted(() => ({ left: Number.POSITIVE_INFINITY }))
vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>()
  const writeSync = (file: number, bytes: Uint8Array, offset: number, length: number, position: number) => {
    if (disk.left === 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    const written = fs.writeSync(file, bytes, offset, Math.min(length, disk.left), position)
    disk.left -= written
    return written
  }
  return { ...fs, writeSync }
})

const folder = mkdtempSync(join(tmpdir(), 'trimtab-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('leaves the file as it was when the disk is full, says so, and goes on when there is room again', () => {
  const path = join(folder, 'full.trajectory')
  const store = new FileTrajectoryStore({ path, ...columns })
  store.append(numbered(0))
  const before = readFileSync(path)
  disk.left = 10
  expect(() => store.append(numbered(1))).toThrow(
    expect.objectContaining({ code: 'trajectory_file_failed', cause: expect.objectContaining({ code: 'ENOSPC' }) }),
  )
  expect(readFileSync(path)).toEqual(before)
  expect(store.size).toBe(1)
  disk.left = Number.POSITIVE_INFINITY
  store.append(numbered(1))
  expect(store.recent(9)).toEqual([numbered(0), numbered(1)])
  store.dispose()
})

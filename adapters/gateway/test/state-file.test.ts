import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readState, writeState } from '../src/index.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trimtab-gateway-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('a state file', () => {
  it('gives back what was written last, and nothing where there is none', async () => {
    const path = join(folder, 'state')
    expect(await readState(path)).toBeUndefined()
    await writeState(path, Uint8Array.of(1, 2, 3))
    await writeState(path, Uint8Array.of(4))
    expect([...(await readState(path))!]).toEqual([4])
  })

  it('says which file failed, and leaves no draft', async () => {
    const path = join(folder, 'no', 'state')
    await expect(writeState(path, Uint8Array.of(1))).rejects.toThrow(
      expect.objectContaining({ code: 'state_file_failed', message: expect.stringContaining(path) }),
    )
    await expect(readState(folder)).rejects.toThrow(expect.objectContaining({ code: 'state_file_failed' }))
  })

  it('is the old one or the new one, whole, whenever the process is killed', async () => {
    const program = join(folder, 'save-for-ever.mjs')
    await build({
      entryPoints: [fileURLToPath(new URL('./fixtures/save-for-ever.ts', import.meta.url))],
      outfile: program,
      ...{ bundle: true, format: 'esm', platform: 'node', conditions: ['@trimtab/source'], external: ['#wasm/*'] },
    })
    const path = join(folder, 'killed')
    writeFileSync(path, Buffer.alloc(1_000_000, 7))
    for (let round = 0; round < 8; round++) {
      const writer = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] })
      const closed = new Promise((resolve) => writer.on('close', resolve))
      let said = 0
      writer.stdout.on('data', () => {
        if (++said > round) writer.kill('SIGKILL')
      })
      await closed
      const state = readFileSync(path)
      expect(state.length).toBe(1_000_000)
      expect(state.every((byte) => byte === state[0])).toBe(true)
    }
  })
})

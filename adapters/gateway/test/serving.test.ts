import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createServing, readState } from '../src/index.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trimtab-serving-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const open = (statePath: string) => createServing({ upstream: 'http://127.0.0.1:1', concurrency: 1, statePath })

describe('what was learned', () => {
  it('is saved whole when a save is asked for while another one is under way', async () => {
    const path = join(folder, 'lengths.bin')
    const { predictor, save, dispose } = await open(path)
    predictor.observe({ model: 'm', prompt: 'Hi' }, 3)
    const first = save()
    predictor.observe({ model: 'm', prompt: 'Hello' }, 4)
    await Promise.all([first, save(), save()])
    const state = await readState(path)
    expect(predictor.save().every((byte, i) => byte === state?.[i])).toBe(true)
    expect(readdirSync(folder)).toEqual(['lengths.bin'])
    await dispose()
  })

  it('frees everything also when it cannot be saved at the end', async () => {
    const { predictor, scheduler, dispose } = await open(join(folder, 'no', 'lengths.bin'))
    predictor.observe({ model: 'm', prompt: 'Hi' }, 3)
    await expect(dispose()).rejects.toMatchObject({ code: 'file_write_failed' })
    expect(() => predictor.updates).toThrow(expect.objectContaining({ code: 'object_disposed' }))
    await expect(scheduler.add(() => 1)).rejects.toMatchObject({ code: 'scheduler_disposed' })
  })
})

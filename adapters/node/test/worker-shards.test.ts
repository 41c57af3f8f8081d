import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openPretraining } from '@trimtab/learn'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WorkerShards } from '../src/index.js'
import { bundle } from './bundle.js'
import type { Setup } from './fixtures/shards.js'

const folder = mkdtempSync(join(tmpdir(), 'trimtab-shards-'))
const wasm = Uint8Array.from(readFileSync(new URL('../../../packages/core/wasm/learn-simd.wasm', import.meta.url)))
let module: URL
beforeAll(async () => {
  module = pathToFileURL(await bundle('shards', folder))
})
afterAll(() => rmSync(folder, { recursive: true }))

const host = (workers: number): WorkerShards<Setup> =>
  new WorkerShards({ module, setup: { pairs: 8, wasm }, shards: 4, workers })

describe('WorkerShards', () => {
  it('one worker or three, the same bytes', async () => {
    const saves = await Promise.all(
      [1, 3].map(async (workers) => {
        const shards = host(workers)
        const pretraining = await openPretraining(shards)
        for (let i = 0; i < 4; i++) await pretraining.round()
        const saved = { checkpoint: await pretraining.save(), embeddings: await pretraining.embeddings() }
        await shards.dispose()
        return saved
      }),
    )
    const [one, three] = saves as [(typeof saves)[0], (typeof saves)[0]]
    expect(one.embeddings.length).toBe(8)
    expect(three.embeddings).toEqual(one.embeddings)
    expect(Buffer.compare(three.checkpoint, one.checkpoint)).toBe(0)
  })

  it('refuses fewer than one shard or worker', () => {
    expect(() => host(0)).toThrow(/workers must be a whole number ≥ 1, got 0/)
  })
})

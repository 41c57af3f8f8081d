import { afterEach, describe, expect, it } from 'vitest'
import type { FunctionPool } from '../src/function-pool.js'
import { createPool, isAlive } from './start.js'

let pool: FunctionPool
afterEach(() => pool.dispose())

describe('a function', () => {
  it.each([
    ['a module with main', 'hello.mjs'],
    ['a module with a default', 'by-default.js'],
    ['CommonJS that requires', 'common.cjs'],
    ['a script that declares main', 'script.js'],
  ])('may be %s', async (_, file) => {
    pool = createPool(file)
    const { status, result } = await pool.invoke({ name: 'Ada' })
    expect([status, result]).toEqual(['success', { greeting: 'hello Ada' }])
  })

  it.each([
    ['a module', 'export const main = ({ name }) => ({ greeting: name })'],
    ['a script', 'const main = ({ name }) => ({ greeting: name })'],
    ['CommonJS', 'exports.main = ({ name }) => ({ greeting: name })'],
  ])('may come as the text of %s', async (_, code) => {
    pool = createPool('', { source: { code } })
    expect((await pool.invoke({ name: 'Ada' })).result).toEqual({ greeting: 'Ada' })
  })

  it.each([
    ['throw', 'action developer error', { error: 'An error has occurred: Error: a bad day' }],
    ['number', 'action developer error', { error: expect.stringMatching(/neither an object nor an array/) }],
    ['circle', 'action developer error', { error: expect.stringMatching(/cannot be written as JSON/) }],
    ['reject', 'application error', { error: 'no such thing' }],
    ['nothing', 'success', {}],
  ])('that ends by %s leaves its container to the next request', async (mood, status, result) => {
    pool = createPool('moods.mjs')
    expect(await pool.invoke({ mood })).toMatchObject({ status, result })
    const [pid] = pool.pids
    expect((await pool.invoke({ mood: 'pid' })).result).toEqual({ pid })
  })

  it.each([
    ['exit', /did not produce a valid response and exited/],
    ['buffers', /exhausted its memory/],
    ['heap', /exhausted its memory/],
  ])('that ends its process by %s is told so, and the next request gets another container', async (mood, error) => {
    pool = createPool('moods.mjs', { memoryMiB: 128 })
    const { result } = await pool.invoke({ mood: 'pid' })
    const ended = await pool.invoke({ mood })
    expect([ended.status, ended.result.error]).toEqual(['action developer error', expect.stringMatching(error)])
    await expect.poll(() => isAlive(Number(result.pid))).toBe(false)
    expect((await pool.invoke({ mood: 'pid' })).result.pid).not.toBe(result.pid)
  })

  it('that takes longer than its limit is killed', async () => {
    pool = createPool('moods.mjs', { timeoutMs: 200 })
    expect(await pool.invoke({ mood: 'endless' })).toMatchObject({
      status: 'action developer error',
      timedOut: true,
      result: { error: 'The action exceeded its time limits.' },
    })
    await expect.poll(() => pool.pids).toEqual([])
  })

  it('has its lines in the log of the call that wrote them', async () => {
    pool = createPool('moods.mjs', { most: 1 })
    const [first, second] = await Promise.all(['one', 'two'].map((text) => pool.invoke({ mood: 'write', text })))
    const words = (logs: readonly string[] | undefined) => logs!.map((line) => line.replace(/^\S+ /, '')).sort()
    await expect.poll(() => words(first!.logs)).toEqual(['stderr: one err', 'stdout: one out'])
    await expect.poll(() => words(second!.logs)).toEqual(['stderr: two err', 'stdout: two out'])
  })

  it('that writes more than its limit has its log cut, with a word on it', async () => {
    pool = createPool('moods.mjs', { logBytes: 10 })
    const { logs } = await pool.invoke({ mood: 'write', text: 'many words' })
    await expect.poll(() => logs).toEqual([expect.stringContaining('Logs were truncated')])
  })
})

describe('code that does not load', () => {
  it.each([
    ['throws', 'broken.mjs', /^Initialization has failed due to: Error: no database/],
    [
      'ends the process',
      'exits.mjs',
      /^Initialization has failed due to: the process ended before the function was there/,
    ],
  ])('because it %s is told to every request, and none of its containers is kept', async (_, file, message) => {
    pool = createPool(file, { allocation: { containers: 2, shares: 1024, keepAliveSeconds: 1e9 } })
    const ends = await Promise.all([1, 2, 3].map(() => pool.invoke({})))
    expect(ends.map(({ status }) => status)).toEqual(new Array(3).fill('action developer error'))
    for (const { result } of ends) expect(result.error).toMatch(message)
    await expect.poll(() => pool.pids).toEqual([])
  })

  it('is told so where there is no main', async () => {
    pool = createPool('', { source: { code: 'const other = 1' } })
    expect((await pool.invoke({})).result.error).toMatch(/there is no function main: export it/)
  })
})

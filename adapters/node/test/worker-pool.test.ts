import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { WorkerPool } from '../src/index.js'
import { bundle } from './bundle.js'

const module = new URL('./fixtures/jobs.mjs', import.meta.url)

let pools: WorkerPool[] = []
function pool(size = 2): WorkerPool {
  const made = new WorkerPool({ module, size })
  pools.push(made)
  return made
}
afterEach(async () => {
  await Promise.all(pools.map((each) => each.dispose()))
  pools = []
})

/** A cell that a job can wait for and the test can set. */
function makeCell() {
  const cell = new Int32Array(new SharedArrayBuffer(4))
  const open = () => {
    Atomics.store(cell, 0, 1)
    Atomics.notify(cell, 0)
  }
  return { cell, open }
}

const inputs = Array.from({ length: 20 }, (_, value) => ({ value }))

describe('WorkerPool', () => {
  it('runs a named job of a module in another thread', async () => {
    const workers = pool()
    expect(await workers.run('double', { value: 21 })).toEqual({ value: 42 })
    expect(await workers.run('whichThread', undefined)).toBeGreaterThan(0)
  })

  it('gives the same outputs in the order of the inputs, whatever the number of workers', async () => {
    const expected = inputs.map(({ value }) => ({ value: value * 2 }))
    for (const size of [1, 2, 3]) expect(await pool(size).map('double', inputs)).toEqual(expected)
  })

  it('keeps the order when a later job ends first', async () => {
    const [first, second] = [makeCell(), makeCell()]
    const workers = pool(2)
    const ended: number[] = []
    const jobs = [first, second].map(({ cell }, value) => workers.run('waitFor', { cell, value }))
    for (const job of jobs) job.then((value) => ended.push(value as number))
    second.open()
    await jobs[1]
    first.open()
    expect(await Promise.all(jobs)).toEqual([0, 1])
    expect(ended).toEqual([1, 0])
  })

  it('starts no more workers than its size and no more than there is work for', async () => {
    const threads = await pool(2).map('whichThread', Array(20).fill(undefined))
    expect(new Set(threads).size).toBeLessThanOrEqual(2)
    const workers = pool(2)
    const one = [await workers.run('whichThread', undefined), await workers.run('whichThread', undefined)]
    expect(one[0]).toBe(one[1])
  })

  it('passes progress on in order, before the job is done', async () => {
    const seen: unknown[] = []
    expect(await pool().run('countTo', 4, { onProgress: (n) => seen.push(n) })).toBe(4)
    expect(seen).toEqual([1, 2, 3, 4])
  })

  it('says which input of a map made progress', async () => {
    const seen: unknown[][] = [[], []]
    await pool().map('countTo', [2, 3], { onProgress: (n, index) => seen[index]!.push(n) })
    expect(seen).toEqual([
      [1, 2],
      [1, 2, 3],
    ])
  })

  it('carries an error over with its name, code, message, stack and cause', async () => {
    await expect(pool().run('fail', undefined)).rejects.toMatchObject({
      name: 'TypeError',
      code: 'config_invalid',
      message: 'bad job',
      stack: expect.stringContaining('jobs.mjs'),
      cause: { name: 'RangeError', code: 'shape', message: 'too large' },
    })
  })

  it.each([
    ['failWithText', { code: 'job_failed', message: 'just text' }],
    ['failInACircle', { code: 'job_failed', message: 'round' }],
    ['returnFunction', { code: 'job_not_cloneable' }],
    ['reportFunction', { code: 'job_not_cloneable' }],
    ['nobody', { code: 'job_unknown', message: expect.stringContaining('exports no function named nobody') }],
    ['notAJob', { code: 'job_unknown' }],
  ])('rejects, and stays usable, when a job is %s', async (job, error) => {
    const workers = pool(1)
    await expect(workers.run(job, undefined)).rejects.toMatchObject(error)
    expect(await workers.run('double', { value: 1 })).toEqual({ value: 2 })
  })

  it('rejects an input that cannot be cloned', async () => {
    const workers = pool(1)
    await expect(workers.run('double', () => {})).rejects.toMatchObject({ code: 'job_not_cloneable' })
    expect(await workers.run('double', { value: 1 })).toEqual({ value: 2 })
  })

  it('rejects when the module cannot be imported', async () => {
    const workers = new WorkerPool({ module: new URL('./fixtures/absent.mjs', import.meta.url), size: 1 })
    await expect(workers.run('double', {})).rejects.toMatchObject({ message: expect.stringContaining('absent.mjs') })
    await workers.dispose()
  })

  it.each([
    ['exit', 3, /exited with code 3 while it ran exit/],
    ['throwLater', undefined, /threw outside a job while it ran throwLater/],
  ])('replaces a worker that a job took down (%s), and runs what waited', async (job, input, message) => {
    const workers = pool(1)
    const [crashed, waiting] = [workers.run(job, input), workers.run('double', { value: 4 })]
    await expect(crashed).rejects.toMatchObject({ code: 'worker_crashed', message: expect.stringMatching(message) })
    expect(await waiting).toEqual({ value: 8 })
  })

  it('stops a running job on abort, even one that never looks up, and replaces its worker', async () => {
    const workers = pool(1)
    const stop = new AbortController()
    const { cell } = makeCell()
    const running = workers.run('waitFor', { cell, value: 1 }, { signal: stop.signal })
    const waiting = workers.run('double', { value: 2 })
    stop.abort(new Error('enough'))
    await expect(running).rejects.toThrow('enough')
    expect(await waiting).toEqual({ value: 4 })
  })

  it('takes a waiting job out of the queue on abort, and refuses one that is aborted already', async () => {
    const workers = pool(1)
    const { cell, open } = makeCell()
    const stop = new AbortController()
    const running = workers.run('waitFor', { cell, value: 7 })
    const waiting = workers.run('double', { value: 1 }, { signal: stop.signal })
    stop.abort(new Error('changed my mind'))
    await expect(waiting).rejects.toThrow('changed my mind')
    open()
    expect(await running).toBe(7)
    await expect(workers.run('double', { value: 1 }, { signal: stop.signal })).rejects.toThrow('changed my mind')
  })

  it('stops the rest of a map at the first failure', async () => {
    const workers = pool(2)
    const { cell } = makeCell()
    const map = workers.map('waitFor', [{ cell, value: 1 }, () => {}])
    await expect(map).rejects.toMatchObject({ code: 'job_not_cloneable' })
    expect(await workers.run('double', { value: 1 })).toEqual({ value: 2 }) // the worker that would wait for ever is gone
  })

  it('listens to a signal once, however many jobs wait for it, and no longer than they do', async () => {
    const stop = new AbortController()
    let listeners = 0
    const { addEventListener, removeEventListener } = stop.signal
    stop.signal.addEventListener = (...parameters: Parameters<typeof addEventListener>) => {
      listeners++
      addEventListener.apply(stop.signal, parameters)
    }
    stop.signal.removeEventListener = (...parameters: Parameters<typeof removeEventListener>) => {
      listeners--
      removeEventListener.apply(stop.signal, parameters)
    }
    const workers = pool(1)
    const jobs = inputs.map((input) => workers.run('double', input, { signal: stop.signal }))
    expect(listeners).toBe(1)
    await Promise.all(jobs)
    expect(listeners).toBe(0)
  })

  it('stops a whole map on abort', async () => {
    const stop = new AbortController()
    const { cell } = makeCell()
    const map = pool(2).map('waitFor', Array(5).fill({ cell, value: 1 }), { signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(map).rejects.toThrow('enough')
  })

  it('fails the job, not the process, when a progress listener throws', async () => {
    const onProgress = () => {
      throw new Error('bad listener')
    }
    await expect(pool().run('countTo', 3, { onProgress })).rejects.toThrow('bad listener')
  })

  it('rejects what waits and what runs on dispose, which may be called twice', async () => {
    const workers = pool(1)
    const { cell } = makeCell()
    const jobs = [workers.run('waitFor', { cell, value: 1 }), workers.run('double', { value: 1 })]
    const outcomes = Promise.allSettled(jobs)
    await workers.dispose()
    await workers.dispose()
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: 'worker_pool_disposed' } })
    await expect(workers.run('double', { value: 1 })).rejects.toMatchObject({ code: 'worker_pool_disposed' })
  })

  it('does not keep the process alive when it is idle', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trimtab-'))
    const program = await bundle('idle', folder)
    // Resolves when the process has ended; a pool that held it would run into the test's time limit.
    const { stdout } = await promisify(execFile)(process.execPath, [program, module.href])
    rmSync(folder, { recursive: true })
    expect(stdout).toBe('{ value: 4 }\njob_not_cloneable\n')
  })

  it('refuses a size that is no number of workers', () => {
    expect(() => pool(0)).toThrow(/size must be a whole number >= 1, got 0/)
  })
})

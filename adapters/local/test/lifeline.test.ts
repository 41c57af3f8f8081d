import { type ChildProcess, spawn } from 'node:child_process'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, it } from 'vitest'
import { fixture, isAlive } from './start.js'

let parent: ChildProcess | undefined
afterEach(() => parent?.kill('SIGKILL'))

/** A platform in a process of its own; each line that it prints is a list of pids. */
async function startParent(file: string, parameters: object, lines: number): Promise<number[]> {
  parent = spawn(process.execPath, [fixture('parent.mjs'), fixture(file), JSON.stringify(parameters)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pids: number[] = []
  for await (const line of createInterface({ input: parent.stdout! })) {
    pids.push(...JSON.parse(line))
    if (--lines === 0) break
  }
  return pids
}

describe('when a platform is killed, its containers end by themselves', () => {
  it.each([
    ['one that idles', 'hello.mjs', {}, 2],
    ['one in an endless loop', 'moods.mjs', { mood: 'endless' }, 1],
    ['one that never gets beyond its import', 'endless-import.mjs', {}, 1],
    ['and what it started itself', 'moods.mjs', { mood: 'child' }, 2],
  ])('%s', async (_, file, parameters, lines) => {
    const pids = (await startParent(file, parameters, lines)).filter(Number.isInteger)
    expect(pids.every(isAlive)).toBe(true)
    parent!.kill('SIGKILL')
    await expect.poll(() => pids.filter(isAlive)).toEqual([])
  })
})

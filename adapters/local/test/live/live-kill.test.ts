import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { openLimiter } from '../../src/live/open-limiter.js'
import { fixture, isAlive } from '../start.js'
import { LIMITERS, sayWhatIsMissing } from './limiters.js'

const folder = mkdtempSync(join(tmpdir(), 'trimtab-live-kill-'))
afterAll(() => rmSync(folder, { recursive: true }))
let parent: ChildProcess | undefined
afterEach(() => parent?.kill('SIGKILL'))

sayWhatIsMissing('what a killed live cluster leaves')

describe.runIf(LIMITERS.length > 0)('a live cluster whose process is killed under load', () => {
  it('leaves no process, and the next one undoes the rest', async () => {
    parent = spawn(process.execPath, [fixture('live-parent.mjs'), folder], { stdio: ['ignore', 'pipe', 'inherit'] })
    const line = await new Promise<string>((resolve) => parent!.stdout!.once('data', (text) => resolve(String(text))))
    const { limiter, groups, pids } = JSON.parse(line)
    expect(pids.filter(isAlive)).toHaveLength(4)
    parent.kill('SIGKILL')
    await expect.poll(() => pids.filter(isAlive), { timeout: 20_000 }).toEqual([]) // also those that were held or stopped
    const made = () =>
      groups.filter((group: string) => existsSync(`/sys/fs/cgroup/cpu/${group.replace('control group ', '')}`))
    const notices: string[] = []
    openLimiter({ stateFolder: folder, onNotice: (message) => notices.push(message) }).dispose()
    expect(made()).toEqual([])
    if (limiter.startsWith('cgroup')) expect(notices.join()).toMatch(/died and left \d+ changes: \d+ undone/)
  }, 60_000)
})

// examples/shop as its README runs it: real processes, spans by the official SDK, and the built command on what was collected.
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { stateOf } from '@trimtab/node'
import { parseTraces, toSpans } from '@trimtab/trace'
import { afterAll, describe, expect, it } from 'vitest'

const SHOP = fileURLToPath(new URL('../examples/shop/shop.mjs', import.meta.url))
const COMMAND = fileURLToPath(new URL('../packages/cli/dist/bin.js', import.meta.url))
const SLOW_MS = 300_000 // eleven processes start, on a machine that does other things too

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'trimtab-shop-'))
afterAll(() => rmSync(folder, { recursive: true }))

const runShop = async (name: string, ...argv: string[]): Promise<{ out: string; files: string[] }> => {
  const to = join(folder, name)
  const { stdout } = await run(process.execPath, [SHOP, '--seconds', '2', '--rate', '4', '--to', to, ...argv])
  return { out: stdout, files: readdirSync(join(to, 'traces')).map((file) => join(to, 'traces', file)) }
}

const trimtab = async (...argv: string[]): Promise<string> => (await run(process.execPath, [COMMAND, ...argv])).stdout

describe('the shop', () => {
  it(
    'is traced whole: every call of every request, over ten processes, and the commands of its README read it',
    async () => {
      const usual = await runShop('usual')
      // A browse is 11 spans and a purchase 15, by the table of services; of each there were four.
      expect(usual.out).toMatch(/^8 requests, 0 failed; 104 spans in /m)
      const traces = usual.files.flatMap((file) => parseTraces(readFileSync(file)))
      expect(traces.map(({ size }) => size).sort()).toEqual([11, 11, 11, 11, 15, 15, 15, 15])
      const services = traces.flatMap((trace) => toSpans(trace).map(({ service }) => service))
      expect(new Set(services).size).toBe(10)
      expect(await trimtab('trace', 'profile', ...usual.files)).toMatch(/requests 8 · spans 104/)
      expect(await trimtab('trace', 'critical-path', ...usual.files)).toMatch(/gateway/)
      const slow = await runShop('slow', '--size', '5')
      expect(await trimtab('trace', 'culprits', ...slow.files, '--baseline', ...usual.files, '--top', '3')).toMatch(
        /\w/,
      )
    },
    SLOW_MS,
  )

  it(
    'takes its services along when it is killed',
    async () => {
      const shop = spawn(process.execPath, [SHOP, '--seconds', '1000', '--to', join(folder, 'killed')])
      let out = ''
      shop.stdout.on('data', (text) => (out += text))
      const pids = (): number[] => [...out.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid))
      await expect.poll(() => pids().length, { timeout: SLOW_MS }).toBe(10)
      shop.kill('SIGKILL')
      const alive = (): number[] =>
        pids().filter((pid) => stateOf({ pid, startTime: undefined, pidNamespace: undefined }) === 'alive')
      await expect.poll(alive, { timeout: SLOW_MS }).toEqual([])
    },
    SLOW_MS,
  )
})

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import openwhisk from 'openwhisk'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { main } from '../src/main.js'
import { createFakeHost } from './fake-host.js'
import { type Running, start } from './trimtab.js'

const folder = mkdtempSync(join(tmpdir(), 'trimtab-serverless-'))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(
  join(folder, 'wait.mjs'),
  `export const main = ({ milliseconds }) =>
  new Promise((resolve) => setTimeout(resolve, milliseconds, { pid: process.pid }))`,
)

let running: Running
afterEach(() => running?.child.kill('SIGKILL'))

/** Processes whose parent is this one, as Linux tells. */
const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return Number(/\) \S (\d+) /.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1]) === pid
      } catch {
        return false // gone meanwhile
      }
    })
    .map(Number)

const isThere = (pid: number): boolean => {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

async function serve() {
  running = start(['serverless', '--actions', folder, '--port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const line = await new Promise<string>((resolve) =>
    running.child.stdout!.once('data', (text) => resolve(String(text))),
  )
  const { apihost, auth, actions } = JSON.parse(line)
  return { apihost, auth, actions, client: openwhisk({ apihost, api_key: auth }) }
}
const wait = (client: ReturnType<typeof openwhisk>, milliseconds: number) =>
  client.actions.invoke({ name: 'wait', blocking: true, result: true, params: { milliseconds } })

describe('trimtab serverless --actions', () => {
  it('serves the functions of a folder to curl and to the client of OpenWhisk', async () => {
    const { apihost, auth, actions, client } = await serve()
    expect(actions).toEqual(['wait'])
    const { pid } = await wait(client, 0)
    expect(childrenOf(running.child.pid!)).toContain(pid)
    const url = `${apihost}/api/v1/namespaces/_/actions/wait?blocking=true&result=true`
    const answer = execFileSync('curl', ['-s', '-u', auth, '-X', 'POST', url], { encoding: 'utf8' })
    expect(JSON.parse(answer)).toEqual({ pid: expect.any(Number) })
  })

  it('decides by the policy that is shipped, and says which function is left to its rule', async () => {
    running = start(['serverless', '--actions', folder, '--port', '0', '--step', '0.1', '--policy', 'learned'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const said = await new Promise<string>((resolve) =>
      running.child.stderr!.once('data', (text) => resolve(String(text))),
    )
    expect(said).toMatch(/^guest\/wait: left to its rule \((no_model|telemetry_missing)\)/)
    running.child.kill('SIGTERM')
    expect(await running.ended).toMatchObject({ code: 0, out: expect.stringMatching(/scaled by learned/) })
  })

  it('on SIGTERM serves who is there, ends with 0 and leaves no process', async () => {
    const { client } = await serve()
    const served = wait(client, 500)
    await expect.poll(() => childrenOf(running.child.pid!)).toHaveLength(1)
    const [pid] = childrenOf(running.child.pid!)
    running.child.kill('SIGTERM')
    expect(await served).toEqual({ pid })
    expect(await running.ended).toMatchObject({ code: 0, out: expect.stringContaining('"event":"stopped"') })
    expect(isThere(pid!)).toBe(false)
  })

  it('leaves no process when it is killed', async () => {
    const { client } = await serve()
    const { pid } = await wait(client, 0)
    running.child.kill('SIGKILL')
    await expect.poll(() => isThere(pid)).toBe(false)
  })
})

describe('trimtab serverless --demo', () => {
  it('measures every scaling on the same requests, block after block in turns', async () => {
    running = start(['serverless', '--demo', '--seconds', '2', '--rounds', '2', '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const { code, out, err } = await running.ended
    const { blocks, verdicts, doubts, machine, settings } = JSON.parse(out)
    expect(settings).toMatchObject({
      arms: ['stock', 'rule', 'learned'],
      policy: 'learned',
      rounds: 2,
      seconds: 2,
      seed: 1,
    })
    expect(blocks.map(({ arm, round }: { arm: string; round: number }) => `${arm} ${round}`)).toEqual([
      'stock 0',
      'rule 0',
      'learned 0',
      'learned 1',
      'rule 1',
      'stock 1',
    ])
    const requests = blocks.map(({ requests }: { requests: number }) => requests)
    const [first, second] = [requests.slice(0, 3), requests.slice(3)]
    for (const round of [first, second]) expect(new Set(round).size).toBe(1)
    for (const block of blocks) {
      expect(block.failures).toBe(0)
      expect(block.p99Ms).toBeGreaterThanOrEqual(block.p50Ms)
      expect(block.started).toBeGreaterThanOrEqual(Math.min(1, block.requests))
      expect(block.coldRequests).toBeLessThanOrEqual(block.started)
      expect(block.cpuSeconds).toBeGreaterThan(0)
      expect(block.fallbacks01).toBeLessThanOrEqual(1)
    }
    expect(machine.roundsPerMs).toBeGreaterThan(0)
    expect(verdicts.length).toBe(doubts.length > 0 ? 0 : 2) // a busy machine has none, and says so
    expect(code).toBe(doubts.length > 0 ? 1 : 0)
    expect(err).toMatch(/s of load/)
  }, 240_000)

  it('leaves no process when it is killed in the middle, the load generator included', async () => {
    running = start(['serverless', '--demo', '--seconds', '60'], { stdio: 'ignore' })
    await expect.poll(() => childrenOf(running.child.pid!).length).toBeGreaterThanOrEqual(2)
    const children = childrenOf(running.child.pid!)
    running.child.kill('SIGKILL')
    await expect.poll(() => children.filter(isThere)).toEqual([])
  })
})

describe('the call', () => {
  it.each([
    [[], /say what to do: --actions DIR\|FILE serves functions, --demo measures/],
    [['--demo', '--actions', 'x.js'], /one of them/],
    [['--actions', '/nowhere/x.js'], /\/nowhere\/x\.js cannot be read/],
    [['--demo', '--arms', 'luck'], /--arms must name some of stock, rule, learned/],
    [['--demo', '--seconds', '0'], /--seconds must be a whole number from 1/],
  ])('%j is refused with 2 and a way out', async (argv, message) => {
    const host = createFakeHost()
    expect(await main(['serverless', ...argv], host)).toBe(2)
    expect(host.err()).toMatch(message)
  })

  it('refuses a policy that is none', async () => {
    const host = createFakeHost()
    host.files.set('policy', 'no policy at all')
    expect(await main(['serverless', '--actions', join(folder, 'wait.mjs'), '--policy', 'policy'], host)).toBe(1)
    expect(host.err()).toMatch(/safetensors/)
  })
})

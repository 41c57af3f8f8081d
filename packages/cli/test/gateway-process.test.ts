import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startDouble } from '../../../adapters/gateway/test/protocol-double.mjs'

let folder: string
let program: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trimtab-gateway-'))
  program = join(folder, 'trimtab.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('../src/bin.ts', import.meta.url))],
    outfile: program,
    ...{
      bundle: true,
      format: 'esm',
      platform: 'node',
      conditions: ['@trimtab/source', 'node'],
      target: 'es2022', // as the package is built: Node 20 knows no `using`
      external: ['koffi', 'onnxruntime-*'],
    },
  })
})
afterAll(() => rmSync(folder, { recursive: true }))

let double: Awaited<ReturnType<typeof startDouble>>
let child: ChildProcess
afterEach(async () => {
  child.kill('SIGKILL')
  await double.close()
})

async function start(...argv: string[]): Promise<{ url: string; ended: Promise<number | string> }> {
  const call = ['gateway', '--upstream', double.url, '--concurrency', '1', '--port', '0', '--json', ...argv]
  child = spawn(process.execPath, [program, ...call], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number | string>((resolve) => child.on('exit', (code, signal) => resolve(code ?? signal!)))
  const first = await new Promise<string>((resolve) => child.stdout!.once('data', (text) => resolve(String(text))))
  return { url: JSON.parse(first.split('\n')[0]!).url, ended }
}

const ask = (url: string, double: object) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }], double }),
  })

describe('a gateway process', () => {
  it('serves on SIGTERM who is there, keeps what it learned, and knows it when it is back', async () => {
    double = await startDouble()
    const state = join(folder, 'lengths')
    const { url, ended } = await start('--state', state)
    const held = ask(url, { held: true, tokens: 40 })
    await double.until((requests) => requests.length === 1)
    child.kill('SIGTERM')
    await expect.poll(async () => (await fetch(`${url}/healthz`)).status).toBe(503)
    double.requests[0]!.release()
    expect((await (await held).json()).usage.completion_tokens).toBe(40)
    expect(await ended).toBe(0)
    const saved = readFileSync(state)
    const again = await start('--state', state)
    child.kill('SIGTERM')
    expect(await again.ended).toBe(0)
    expect(readFileSync(state).equals(saved)).toBe(true)
  })

  it('that is killed ends the upstream’s work, and leaves the port and the state to the next', async () => {
    double = await startDouble()
    const { url, ended } = await start()
    const hung = expect(ask(url, { fault: 'hang' })).rejects.toThrow()
    await double.until((requests) => requests.length === 1)
    child.kill('SIGKILL')
    expect(await ended).toBe('SIGKILL')
    await hung
    await double.until(([request]) => request!.state === 'cut')
    const next = await start('--port', new URL(url).port)
    expect((await ask(next.url, {})).status).toBe(200)
  })
})

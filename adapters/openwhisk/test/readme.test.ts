import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { AUTH, openStandIn } from './stand-in/index.js'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code!)

/** Runs an example as a user would paste it. */
async function run(name: string, code: string): Promise<unknown[][]> {
  const file = new URL(`./readme-${name}.mjs`, import.meta.url)
  writeFileSync(file, code)
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  try {
    await import(file.href)
    return log.mock.calls
  } finally {
    log.mockRestore()
    rmSync(file)
  }
}

describe('the README', () => {
  it('has a first example of ten lines that tells what each action did and what it would change', async () => {
    const { official, proxy } = await openStandIn()
    await official.actions.update({ name: 'hello', action: 'const main = (params) => params' })
    const code = examples[0]!
    expect(code.trim().split('\n').length).toBeLessThanOrEqual(13)
    const here = code.replace('http://127.0.0.1:3233', proxy.url).replace('uuid:key', AUTH).replace('10_000', '1')
    expect(await run('tenants', here)).toEqual([['hello', 0, { containers: 0 }]])
  })

  it('has a second one that serves a platform to the official client', async () => {
    const calls = await run('server', examples[1]!)
    expect(calls).toEqual([[{ hello: 'world' }]])
  })
})

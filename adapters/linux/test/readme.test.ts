import { spawn } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { describe, expect, it, vi } from 'vitest'
import { HAS_VERSION_1, sayNoVersion1 } from './here.js'

if (!HAS_VERSION_1) sayNoVersion1('the example of the README')

describe.runIf(HAS_VERSION_1)('the README', () => {
  it('has an example under fifteen lines that prints what it says', async () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
    const [, example, printed] = /```js\n(.*?)```\n\n```text\n(.*?)```/s.exec(readme)!
    expect(example!.trim().split('\n').length).toBeLessThan(15)
    const child = spawn('sleep', ['600']) // in the place of the process that runs the tests
    const file = new URL('./readme-example.mjs', import.meta.url)
    const state = `/tmp/trimtab-readme-${process.pid}`
    writeFileSync(
      file,
      example!.replace('{ onNotice', `{ stateFolder: '${state}', onNotice`).replace('process.pid', `${child.pid}`),
    )
    const lines: string[] = []
    const log = vi
      .spyOn(console, 'log')
      .mockImplementation((...all) => lines.push(all.map((one) => (Array.isArray(one) ? '[]' : one)).join(' ')))
    try {
      await import(file.href)
      expect(lines).toEqual(printed!.trim().split('\n'))
    } finally {
      log.mockRestore()
      rmSync(file)
      rmSync(state, { recursive: true, force: true })
      child.kill('SIGKILL')
    }
  })
})

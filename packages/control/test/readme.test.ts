import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const block = (language: string) => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(readme)![1]!

it('prints what the README says, in under fifteen lines', async () => {
  const file = new URL('./readme-example.mjs', import.meta.url)
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  writeFileSync(file, block('js'))
  try {
    await import(file.href)
    expect(log.mock.calls.map((words) => `${words.join(' ')}\n`).join('')).toBe(block('text'))
  } finally {
    log.mockRestore()
    rmSync(file)
  }
  expect(block('js').trim().split('\n').length).toBeLessThan(15)
})

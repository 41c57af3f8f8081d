import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterEach, expect, it, vi } from 'vitest'
import { PODS } from '../src/index.js'
import { open, temporaryFile } from './opened.js'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code!)
afterEach(() => vi.unstubAllEnvs())

/** What an example prints, run as it is written. */
async function printed(code: string): Promise<unknown[][]> {
  const file = new URL(`./readme-example-${examples.indexOf(code)}.mjs`, import.meta.url)
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  writeFileSync(file, code.replace('60_000', '3_000'))
  try {
    await import(file.href)
    return [...log.mock.calls]
  } finally {
    log.mockRestore()
    rmSync(file)
  }
}

it('has an example under fifteen lines that follows the pods of a cluster', async () => {
  const { standIn, client } = await open()
  vi.stubEnv('KUBECONFIG', await temporaryFile(standIn.kubeconfig()))
  const spec = { containers: [{ name: 'main', image: 'x' }] }
  await client.create(PODS, { metadata: { namespace: 'default', name: 'web' }, spec })
  await expect
    .poll(async () => (await client.get(PODS, { namespace: 'default', name: 'web' })).status?.phase)
    .toBe('Running')
  expect(examples[0]!.trim().split('\n').length).toBeLessThan(15)
  expect(await printed(examples[0]!)).toEqual([['added', 'web', 'Running']])
})

it('has an example that prints the definition, and what its defaults fill in', async () => {
  const [[definition], [bounds]] = (await printed(examples[1]!)) as [[string], [object]]
  expect(JSON.parse(definition).metadata.name).toBe('multidimpodautoscalers.trimtab.dev')
  expect(bounds).toMatchObject({ replicas: { min: 2, max: 10 } })
})

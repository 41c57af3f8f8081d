import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { makeSamples } from '../../../scripts/make-samples.mjs'
import { main } from '../src/main.js'
import { SAMPLES } from '../src/samples.js'
import { createFakeHost } from './fake-host.js'

function hostWithSamples() {
  const host = createFakeHost()
  for (const path of Object.values(SAMPLES)) host.files.set(path, readFileSync(path))
  return host
}

describe('the files that come with the package', () => {
  it('are what the script makes', async () => {
    for (const [name, text] of Object.entries(await makeSamples())) {
      const path = Object.values(SAMPLES).find((one) => one.endsWith(`/${name}.gz`))
      expect(gunzipSync(readFileSync(path!)).toString() === text, name).toBe(true)
    }
  }, 300_000) // ten simulated seconds of an application

  it('name the service that was made slow', async () => {
    const host = hostWithSamples()
    expect(await main(['trace', 'culprits', '--sample', '--json'], host)).toBe(0)
    expect(JSON.parse(host.out()).culprits.suspects[0].service).toBe('rate')
  })

  it('give way to what a call names, and are never mixed with files of its own', async () => {
    const host = hostWithSamples()
    host.files.set('mine.json', '{}')
    expect(await main(['trace', 'profile', 'mine.json', '--sample'], host)).toBe(2)
    expect(host.err()).toContain('--sample brings files of its own')
    const other = hostWithSamples()
    expect(await main(['schedule', '--sample', '--requests', 'gone.jsonl'], other)).toBe(2)
    expect(other.err()).toContain('gone.jsonl cannot be read')
  })

  it('are not offered where nothing is read', async () => {
    const host = createFakeHost()
    expect(await main(['doctor', '--sample'], host)).toBe(2)
    expect(host.err()).toContain('unknown option --sample')
  })
})

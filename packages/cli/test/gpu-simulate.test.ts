import { describe, expect, it } from 'vitest'
import { main } from '../src/main.js'
import { createFakeHost, type FakeHost } from './fake-host.js'

const SMALL = ['gpu', 'simulate', '--models', 'BERT-large,GPT2-large', '--gpus', '2', '--rate', '1', '--seconds', '60']

async function run(...more: string[]): Promise<{ code: number; host: FakeHost }> {
  const host = createFakeHost()
  return { code: await main([...SMALL, ...more], host), host }
}

describe('trimtab gpu simulate', () => {
  it('shows power, savings, attainment and clocks of three policies, and what lies where', async () => {
    const { code, host } = await run()
    expect(code).toBe(0)
    const lines = host.out().split('\n')
    expect(lines[0]).toMatch(
      /^simulation: 2 models on 2 V100, 1 requests\/s, SLO scale 4, \d+ requests; power of all GPUs$/,
    )
    expect(lines[3]).toMatch(/^fixed clocks +\d+ W +1\.00× +100\.00 % +0\.\d\d +1380 MHz$/)
    expect(lines[5]).toMatch(/^scaling, placed by sensitivity +\d+ W +1\.\d\d× +\d+\.\d\d % /)
    expect(host.out()).toMatch(/GPU {2}0 +\d+ MHz {2}/)
  })

  it('gives the same JSON for the same seed, another for another', async () => {
    const [a, b, c] = [await run('--json'), await run('--json'), await run('--json', '--seed', '2')]
    expect(a!.host.out()).toBe(b!.host.out())
    expect(c!.host.out()).not.toBe(a!.host.out())
    const answer = JSON.parse(a!.host.out())
    expect(answer).toMatchObject({ format: 'trimtab-gpu-simulation', devices: 2, models: ['BERT-large', 'GPT2-large'] })
    expect(answer.policies).toHaveLength(3)
  })

  it('writes a page with every clock, its numbers inside', async () => {
    const { host } = await run('--report', 'power.html')
    const page = host.files.get('power.html') as string
    expect(page.match(/<figure/g)).toHaveLength(2)
    const json = /<script type="application\/json" id="trimtab-gpu-simulation">(.*?)<\/script>/s.exec(page)![1]!
    expect(JSON.parse(json).ticks.length).toBeGreaterThan(100)
    expect(page).toContain('Everything here was simulated')
  })

  it('says why it ends with 1', async () => {
    const host = createFakeHost()
    expect(await main(['gpu', 'simulate', '--seconds', '60'], host)).toBe(1)
    const [, row] = /^scaling, placed by sensitivity .* (9\d\.\d\d %) /m.exec(host.out())!
    expect(host.out()).toContain(
      `✗ scaling, placed by sensitivity meets the SLO of ${row} of the requests; fixed clocks reach 99.00 %`,
    )
  })

  it('refuses models it does not know and clusters too small, with 2', async () => {
    const unknown = createFakeHost()
    expect(await main(['gpu', 'simulate', '--models', 'GPT-9'], unknown)).toBe(2)
    expect(unknown.err()).toContain('"GPT-9" is not one of ResNet-50, BERT-base')
    const small = createFakeHost()
    expect(await main(['gpu', 'simulate', '--gpus', '2'], small)).toBe(2)
    expect(small.err()).toMatch(/no division of 2 devices holds all models/)
  })
})

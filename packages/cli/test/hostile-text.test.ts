import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { main } from '../src/main.js'
import { guardOutput } from '../src/terminal.js'
import { createFakeHost, type FakeHost } from './fake-host.js'

/** Names with escapes that clear the screen, set its title and hide text, with line breaks and a formula. */
const ANSI = readFileSync(new URL('./fixtures/ansi.json', import.meta.url), 'utf8')
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are ours
const OWN = /\u001b\[(?:1|2|22|3[126]|39)m|\r\u001b\[2K|[\n\t]/g
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

const CALLS = [
  'profile a.json',
  'profile a.json --format folded',
  'profile a.json --format prometheus',
  'profile a.json --format speedscope',
  'profile a.json --format html',
  'profile a.json --json',
  'critical-path a.json',
  'critical-path a.json --format attributes',
  'critical-path a.json --format folded',
  'critical-path a.json --json',
  'critical-path a.json --service nowhere',
  'critical-path a.json --trace nowhere',
  'culprits a.json',
  'culprits a.json --baseline a.json',
  'diff a.json a.json',
  'diff a.json a.json --json',
  'what-if a.json --speed-up root=2',
]

const run = async (call: string): Promise<FakeHost> => {
  const host = createFakeHost({ isTTY: true })
  host.files.set('a.json', ANSI)
  await main(['trace', ...call.split(' ')], host)
  return host
}

describe.each(CALLS)('trimtab trace %s', (call) => {
  it('lets no control of a name through, and no line of its own', async () => {
    const host = await run(call)
    expect(host.out() + host.err()).not.toBe('')
    for (const text of [host.out(), host.err()]) {
      expect(text.replace(OWN, '')).not.toMatch(UNPRINTABLE)
      expect(text).not.toMatch(/^FAKE LINE/m)
      expect(text).not.toContain('\u001b[1;31mroot')
    }
  })
})

describe('a name in JSON', () => {
  it('is what the trace says, to the letter', async () => {
    const { data } = JSON.parse(ANSI)
    const report = JSON.parse((await run('profile a.json --json')).out())
    expect(JSON.stringify(report)).toContain(JSON.stringify(data[0].processes.p1.serviceName).slice(1, -1))
  })
})

describe('the last border', () => {
  it('lets through what commands write, and shows the rest', () => {
    let written = ''
    const output = guardOutput({ write: (text) => (written += text) })
    output.write('\r\u001b[2K\u001b[1mbold\u001b[22m\tx\n\u001b[8mhidden\u001b[2J\u0007\u009b2J\u202e\r')
    expect(written).toBe('\r\u001b[2K\u001b[1mbold\u001b[22m\tx\n\\u001b[8mhidden\\u001b[2J\\u0007\\u009b2J\\u202e\\r')
  })

  it('stands before every command: an argument that is echoed is shown too', async () => {
    const host = createFakeHost()
    expect(await main(['trace', 'profile', 'no\u001b[2Jfile\u202e'], host)).toBe(2)
    expect(host.err()).toContain('no\\u001b[2Jfile\\u202e')
  })
})
